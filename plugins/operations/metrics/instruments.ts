/** What is counted. Names and labels are part of the contract: dashboards and alerts of users depend on them. */
import type { TurnEndReason, Usage } from 'svc/sdk'
import type { FinishedModelCall } from 'svc/sdk/hooks'
import type { Delivery, PlatformStatus } from 'svc/sdk/platform'
import type { Meter } from './prometheus.ts'

/** Seconds. A turn takes from a moment to hours, a tool from a millisecond to many minutes. */
const TURN_SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600]
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

export class Instruments {
  readonly #meter: Meter
  readonly #counters: Map<string, ReturnType<Meter['createCounter']>> = new Map()
  readonly #histograms: Map<string, ReturnType<Meter['createHistogram']>> = new Map()
  readonly #connected: ReturnType<Meter['createGauge']>

  constructor(meter: Meter) {
    this.#meter = meter
    const description = '1 while the platform is connected, otherwise 0.'
    this.#connected = meter.createGauge('svc_platform_connected', { description })
    const memory = meter.createObservableGauge('process_resident_memory_bytes', {
      description: 'Resident memory of the process in bytes.',
    })
    memory.addCallback((result) => result.observe(process.memoryUsage.rss()))
    const cpu = meter.createObservableCounter('process_cpu_seconds', { description: 'CPU time of the process.' })
    cpu.addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe((user + system) / 1e6)
    })
  }

  turn(surface: string, reason: TurnEndReason, durationMs: number | undefined): void {
    this.#count('svc_turns', 'Turns that have ended, by front end and reason.', { surface, reason })
    if (durationMs === undefined) return
    this.#time('svc_turn_duration_seconds', 'Time from the message to the end of the answer.', TURN_SECONDS).record(
      durationMs / 1000,
      { surface },
    )
  }

  modelCall({ provider, model, purpose, usage, durationMs, failure }: FinishedModelCall): void {
    const outcome = failure?.kind ?? 'ok'
    this.#count('svc_model_calls', 'Calls of models, by outcome.', { provider, model, purpose, outcome })
    this.#time('svc_model_call_duration_seconds', 'Time of a call of a model.', CALL_SECONDS).record(
      durationMs / 1000,
      { provider, model, purpose },
    )
    for (const [kind, count] of listTokens(usage))
      this.#count('svc_model_tokens', 'Tokens of calls of models, by kind.', { provider, model, kind }, count)
    if (usage.costUsd !== undefined)
      this.#count(
        'svc_model_cost_usd',
        'Known cost of calls of models in US dollars.',
        { provider, model },
        usage.costUsd,
      )
    if (usage.unpricedCalls)
      this.#count(
        'svc_model_unpriced_calls',
        'Calls whose price is not known.',
        { provider, model },
        usage.unpricedCalls,
      )
  }

  toolCall(tool: string, outcome: 'ok' | 'failed', durationMs: number): void {
    this.#count('svc_tool_calls', 'Tool calls that ran, by outcome.', { tool, outcome })
    this.#time('svc_tool_duration_seconds', 'Time of a tool call.', TOOL_SECONDS).record(durationMs / 1000, { tool })
  }

  delivery({ platform, state }: Delivery): void {
    this.#count('svc_deliveries', 'Parts of messages by the state in which they stay.', { platform, state })
  }

  platform({ name, state }: PlatformStatus): void {
    this.#connected.record(state === 'connected' ? 1 : 0, { platform: name })
  }

  pluginFailure(plugin: string, code: string): void {
    this.#count('svc_plugin_failures', 'Failures of plugins, by code.', { plugin, code })
  }

  #count(name: string, description: string, labels: Readonly<Record<string, string>>, by = 1): void {
    const found = this.#counters.get(name) ?? this.#meter.createCounter(name, { description })
    this.#counters.set(name, found)
    found.add(by, labels)
  }

  #time(name: string, description: string, explicitBucketBoundaries: number[]) {
    const advice = { explicitBucketBoundaries }
    const found = this.#histograms.get(name) ?? this.#meter.createHistogram(name, { description, advice })
    this.#histograms.set(name, found)
    return found
  }
}

function listTokens({ input, output, cachedInput, cacheWriteInput, reasoning }: Usage): (readonly [string, number])[] {
  const kinds = { input, output, cached_input: cachedInput, cache_write_input: cacheWriteInput, reasoning }
  return Object.entries(kinds).flatMap(([kind, count]) => (count ? [[kind, count] as const] : []))
}
