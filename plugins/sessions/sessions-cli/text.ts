/** The forms and options of `svc sessions`. */
import { type CliArguments, type SessionSummary, SvcError, type Usage } from 'svc/sdk'
import { formatCount, formatMoment, safeLine } from 'svc/sdk/kit/terminal'

/** A session on one line: id, time of its last use, size, where it was held, title. */
export function sessionLine({ id, updatedAt, messageCount, surface, title }: SessionSummary): string {
  return `${safeLine(id)}  ${formatMoment(updatedAt)}  ${String(messageCount).padStart(5)}  ${safeLine(surface).padEnd(8)}  ${safeLine(title ?? '-')}`
}

/** What model calls cost, as far as that is known; undefined when there were none. */
export function costText({ costUsd, unpricedCalls = 0 }: Usage): string | undefined {
  const unknown = unpricedCalls > 0 ? `${formatCount(unpricedCalls, 'call')} of unknown price` : undefined
  const known = costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`
  return known && unknown ? `${known} and ${unknown}` : (known ?? unknown)
}

export function textOption({ options }: CliArguments, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** A whole number above 0. Throws `CLI_USAGE`. */
export function countOption(input: CliArguments, name: string, flag: string): number | undefined {
  const value = textOption(input, name)
  if (value === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new SvcError('CLI_USAGE', `${flag} is "${safeLine(value)}"; it must be a whole number above 0.`)
}
