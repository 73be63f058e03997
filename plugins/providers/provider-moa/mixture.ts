/**
 * The call of a mixture (https://arxiv.org/abs/2406.04692, with one layer): its models answer at the same time, and the last one streams
 * the answer. The first answers hold for all rounds of a turn.
 */
import type { PluginContext } from 'svc/sdk'
import type { ModelCallAttempt } from 'svc/sdk/hooks'
import { setBounded } from 'svc/sdk/kit/state'
import { createModelFailure, type ModelEvent, type ModelFailure } from 'svc/sdk/provider'
import { askAdviser, begin, choose, isFailure, paid, toFailure } from './calls.ts'
import type { Config, Preset } from './config.ts'
import { type Opinion, toAggregator } from './conversation.ts'
import { findPreset, formatModel, listPresets } from './presets.ts'

const MAX_TURNS = 50

export class Mixture {
  readonly #ctx: PluginContext<Config>
  /** By turn, preset and message. */
  readonly #known: Map<string, readonly Opinion[]> = new Map()

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
  }

  async *stream(attempt: ModelCallAttempt): AsyncGenerator<ModelEvent> {
    const { model } = attempt.request
    const preset = findPreset(this.#ctx.config, model)
    if (!preset) return yield failed(this.#unknown(model))
    const known = this.#known.get(getKey(attempt))
    const opinions = known ?? (yield* this.#ask(preset, attempt))
    if (isFailure(opinions)) return yield failed(opinions)
    if (attempt.turnId !== undefined) setBounded(this.#known, getKey(attempt), opinions, MAX_TURNS)
    yield* this.#aggregate(preset, attempt, opinions)
  }

  /** All at the same time, each shown as it comes. Some may fail, not all. */
  async *#ask(
    preset: Preset,
    attempt: ModelCallAttempt,
  ): AsyncGenerator<ModelEvent, readonly Opinion[] | ModelFailure> {
    const names = preset.reference_models
    const asked = new Map(
      names.map((name, at) => [
        at,
        askAdviser(this.#ctx, { preset, name, attempt }).then((answer) => ({ at, answer })),
      ]),
    )
    const answers: (Opinion | ModelFailure)[] = []
    while (asked.size > 0) {
      const { at, answer } = await Promise.race(asked.values())
      asked.delete(at)
      answers[at] = answer
      const { length: count } = names
      const name = names[at]
      const title = name ? formatModel(name) : ''
      const said = isFailure(answer) ? `did not answer: ${answer.message}` : `\n${answer.text}`
      yield { type: 'reasoning', text: `[${count - asked.size}/${count} ${title}] ${said}\n\n` }
    }
    if (attempt.signal.aborted) return createModelFailure('aborted', 'The call was interrupted.')
    const given = answers.filter((answer): answer is Opinion => !isFailure(answer))
    if (given.length > 0) return given
    const failures = answers.filter(isFailure)
    const [first] = failures
    const all = failures.map(({ message }, at) => `${names[at] ? formatModel(names[at]) : ''}: ${message}`).join(' ')
    return {
      ...createModelFailure(first?.kind ?? 'unknown', `None of the models of the mixture answered. ${all}`),
      retryable: failures.some(({ retryable }) => retryable),
    }
  }

  async *#aggregate(
    { aggregator, aggregator_temperature: temperature }: Preset,
    attempt: ModelCallAttempt,
    opinions: readonly Opinion[],
  ): AsyncGenerator<ModelEvent> {
    const choice = await choose(this.#ctx, aggregator)
    if (isFailure(choice)) return yield failed(choice)
    const { messages, tools } = attempt.request
    const own = { choice, messages: toAggregator(messages, opinions), tools, purpose: 'moa_aggregator' }
    const options = { signal: attempt.signal, ...(temperature !== undefined && { temperature }) }
    try {
      const call = await begin(this.#ctx, attempt, { ...own, ...options })
      // It was paid for under the name of the model: here it only says how long the conversation is.
      for await (const event of paid(call))
        yield event.type === 'usage' ? { ...event, usage: { ...event.usage, costUsd: 0 } } : event
    } catch (error) {
      yield failed(toFailure(error))
    }
  }

  #unknown(name: string): ModelFailure {
    const names = listPresets(this.#ctx.config).map(([preset]) => preset)
    const there = names.length > 0 ? `There are: ${names.join(', ')}.` : 'None is set.'
    const message = `The mixture of agents has no preset "${name}". ${there} Its models are set in moa.presets of config.yaml.`
    return createModelFailure('model-not-found', message)
  }
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}

/** What a person adds during the turn is another message. */
function getKey({ turnId = '', request: { model, messages } }: ModelCallAttempt): string {
  return [turnId, model, messages.filter(({ role }) => role === 'user').length].join(' ')
}
