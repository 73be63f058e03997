/** Turns what hooks tell into spans. Nothing of OpenTelemetry is read before the plugin starts. */
import { AroundToolCall, Clock, definePlugin, Secrets, TurnEnded } from 'svc/sdk'
import { DeliveryFinished, ModelCallFinished, SvcStopping, TurnStarted } from 'svc/sdk/hooks'
import { config } from './config.ts'
import { readHeaders } from './headers.ts'
import type { Spans } from './spans.ts'

/** A collector that is away is logged once in this time. */
const LOG_MS = 60_000

export default definePlugin({
  config,
  setup(ctx) {
    let spans: Spans | undefined
    let flush = async () => {}
    const clock = () => ctx.use(Clock)

    ctx.on(TurnStarted, (turn) => spans?.beginTurn(turn))
    ctx.on(TurnEnded, ({ turnId, reason, usage, error }) => spans?.endTurn(turnId, reason, usage, error?.code))
    ctx.on(ModelCallFinished, (call) => spans?.modelCall(call))
    ctx.on(AroundToolCall, async (event, next) => {
      const start = clock().monotonic()
      const result = await next(event)
      spans?.toolCall(event.tool.name, event.turn.turnId, clock().monotonic() - start, result.failed === true)
      return result
    })
    ctx.on(DeliveryFinished, (delivery) => spans?.delivery(delivery))
    ctx.on(SvcStopping, () => flush())

    ctx.onStart(async () => {
      const headers = readHeaders(ctx.use(Secrets).get('OTEL_EXPORTER_OTLP_HEADERS') ?? '')
      const [{ openTracer }, { Spans: Made }] = await Promise.all([import('./otlp.ts'), import('./spans.ts')])
      let loggedAt = Number.NEGATIVE_INFINITY
      const source = openTracer({
        ...{ endpoint: ctx.config.endpoint, headers, sample: ctx.config.sample },
        resource: { 'service.name': ctx.config.service_name, 'svc.process.role': ctx.process.role },
        failed(error) {
          if (clock().monotonic() - loggedAt < LOG_MS) return
          loggedAt = clock().monotonic()
          ctx.log.warn('spans could not be sent to the collector and are lost', {
            endpoint: ctx.config.endpoint,
            error,
          })
        },
      })
      spans = new Made(source.tracer, () => clock().now())
      flush = () => source.flush().catch(() => undefined)
      ctx.defer(() => source.close())
    })
  },
})
