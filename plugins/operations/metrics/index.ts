/** Counts what hooks tell, and serves it. Nothing of OpenTelemetry is read before the plugin starts. */

import { AroundToolCall, Clock, definePlugin, Secrets, TurnEnded } from 'svc/sdk'
import { DeliveryFinished, ModelCallFinished, PlatformChanged, PluginFailed, TurnStarted } from 'svc/sdk/hooks'
import { HealthChecks } from 'svc/sdk/host'
import { setBounded } from 'svc/sdk/kit/state'
import { explainWeakSecret } from 'svc/sdk/safety'
import { Http } from 'svc/sdk/web'
import { config } from './config.ts'
import type { Instruments } from './instruments.ts'

const TOKEN = 'SVC_METRICS_TOKEN'
const TEXT = 'text/plain; version=0.0.4; charset=utf-8'
/** Turns whose end was never told would stay for good. */
const MAX_TURNS = 10_000

export default definePlugin({
  config,
  setup(ctx) {
    let instruments: Instruments | undefined
    const begun = new Map<string, number>()
    const now = () => ctx.use(Clock).monotonic()

    ctx.on(TurnStarted, ({ turnId }) => setBounded(begun, turnId, now(), MAX_TURNS))
    ctx.on(TurnEnded, ({ turnId, surface, reason }) => {
      const start = begun.get(turnId)
      begun.delete(turnId)
      instruments?.turn(surface, reason, start === undefined ? undefined : now() - start)
    })
    ctx.on(ModelCallFinished, (call) => instruments?.modelCall(call))
    ctx.on(AroundToolCall, async (event, next) => {
      const start = now()
      const result = await next(event)
      instruments?.toolCall(event.tool.name, result.failed ? 'failed' : 'ok', now() - start)
      return result
    })
    ctx.on(DeliveryFinished, (delivery) => instruments?.delivery(delivery))
    ctx.on(PlatformChanged, (status) => instruments?.platform(status))
    ctx.on(PluginFailed, ({ plugin, code }) => instruments?.pluginFailure(plugin, code))

    const findWeakness = () => explainWeakSecret(ctx.use(Secrets).get(TOKEN) ?? '')
    const fix = `svc config set ${TOKEN} <token>`
    ctx.add(HealthChecks, {
      name: 'metrics',
      title: 'Metrics',
      async check() {
        const weakness = findWeakness()
        if (weakness === undefined) return [{ state: 'ok', text: `${TOKEN} opens the metrics of the gateway.` }]
        return [{ state: 'problem', text: `Metrics are not served: ${TOKEN} ${weakness}.`, fix }]
      },
    })

    ctx.onStart(async () => {
      // Other processes have no turns of chats, and would take the port of the gateway.
      if (ctx.process.role !== 'gateway' && ctx.process.role !== 'embedded') return
      const weakness = findWeakness()
      if (weakness !== undefined) {
        ctx.log.warn(`metrics are not served: ${TOKEN} ${weakness}; to serve them: ${fix}`)
        return
      }
      const [{ openMeter }, { Instruments: Made }] = await Promise.all([
        import('./prometheus.ts'),
        import('./instruments.ts'),
      ])
      const source = openMeter()
      instruments = new Made(source.meter)
      ctx.defer(() => source.close())
      const mounted = await ctx.use(Http).mount({
        ...{ name: 'metrics', host: ctx.config.host, port: ctx.config.port, prefix: '' },
        lock: { kind: 'bearer', secret: () => ctx.use(Secrets).get(TOKEN) },
        routes: [
          {
            method: 'GET',
            path: '/metrics',
            summary: 'Counts and durations in the text format of Prometheus.',
            handle: async () => ({ headers: { 'content-type': TEXT }, body: await source.read() }),
          },
        ],
      })
      ctx.defer(() => mounted.close())
      ctx.log.info('metrics are served', { url: `${mounted.url}/metrics` })
    })
  },
})
