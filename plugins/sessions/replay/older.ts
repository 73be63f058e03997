/**
 * Recordings of svc before events carried refusals, retries and switches of the model as data: what its agent said then is
 * read from the sentences of that time. New facts of events are never read here.
 */
import type { ToolRefusal, TurnEvent } from 'svc/sdk'
import type { ModelRetry } from 'svc/sdk/provider'

type CompleteEvent = Extract<TurnEvent, { type: 'tool.complete' }>
type Notice = Extract<TurnEvent, { type: 'notice' }>

/** Why a call did not run; undefined for one that ran. */
export function readRefusal({ refusal, ok, text, name }: CompleteEvent): ToolRefusal | undefined {
  if (refusal || ok) return refusal
  if (text.startsWith('There is no tool ')) return { kind: 'unknown-tool' }
  if (text === 'Not run: the turn was interrupted.') return { kind: 'interrupted' }
  const reason = /^Not allowed: (.*)\.$/s.exec(text)?.[1]
  if (reason !== undefined) return { kind: 'denied', reason }
  const wrong = `The arguments of ${name} are wrong. `
  if (!text.startsWith(wrong)) return undefined
  const [, path = '', message = ''] = /^(.*?): (.*)$/s.exec(text.slice(wrong.length)) ?? []
  return { kind: 'arguments', issues: [{ path: path === 'arguments' ? '' : path, message }] }
}

/** One more try of a request; the random part of its pause is worked out from the seconds that were said. */
export function readRetry({ retry, text }: Notice): Pick<ModelRetry, 'jitter'> | undefined {
  if (retry) return retry
  const [, said, attempt] = /Trying again in (\d+) s \((\d+) of \d+\)/.exec(text) ?? []
  if (said === undefined) return undefined
  const base = Math.min(2 * 2 ** (Number(attempt) - 1), 60)
  return { jitter: Math.min(0.999_999, Math.max(0, (Number(said) / base - 1) * 2)) }
}

/** The name of the provider that a turn switched to, for people. */
export function switchedTo({ fallback, text }: Notice): string | undefined {
  return fallback?.label ?? / Switching to \S+ at (.+)\.$/.exec(text)?.[1]
}

/** Fields of events that older recordings do not have. */
const ADDED: ReadonlySet<string> = new Set(['refusal', 'retry', 'fallback'])

/** An event in the form of the svc version that made the recording. */
export function rewriteAsRecorded(
  recorded: TurnEvent | undefined,
  event: TurnEvent | undefined,
): TurnEvent | undefined {
  if (!recorded || !event || recorded.type !== event.type) return event
  const entries = Object.entries(event).filter(([key]) => !ADDED.has(key) || key in recorded)
  return Object.fromEntries(entries) as TurnEvent
}
