/** How `svc sessions` speaks. Stored text came from people, models and tools: none of it may steer the terminal. */
import { type CliInput, type CliIo, type SessionSummary, SvcError, type Usage } from 'svc/sdk'

/** Marks that turn the direction of writing around, and so can make a text look like another one. */
const direction = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const unsafeLine = new RegExp(`[\\p{Cc}\\p{Cs}\\u2028\\u2029${direction}]+`, 'gu')
const unsafeBlock = new RegExp(`[^\\P{Cc}\\n\\t]|[\\p{Cs}\\u2028\\u2029${direction}]`, 'gu')
const unsafeJson = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${direction}]`, 'g')

/** Text on one line. */
export function plain(text: string): string {
  return text.replace(unsafeLine, ' ').trim()
}

/** Text with its lines and tabs; what else could steer a terminal becomes a visible sign. */
export function plainBlock(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafeBlock, '\ufffd')
}

/** JSON without any character that could steer a terminal. Reads back as the same value. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    unsafeJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The result for programs. */
export function printJson(io: CliIo, value: unknown): void {
  io.out(`${safeJson(value, 2)}\n`)
}

/** Bold or dim on a terminal that shows it. */
export function paint(io: CliIo, style: 'bold' | 'dim', text: string): string {
  return io.color ? `\u001b[${style === 'bold' ? 1 : 2}m${text}\u001b[0m` : text
}

/** A moment (milliseconds since 1970) in local time, to the minute. */
export function moment(at: number): string {
  return new Date(at).toLocaleString('sv-SE').slice(0, 16)
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

/** A session on one line: id, time of its last use, size, where it was held, title. */
export function sessionLine({ id, updatedAt, messageCount, surface, title }: SessionSummary): string {
  return `${plain(id)}  ${moment(updatedAt)}  ${String(messageCount).padStart(5)}  ${plain(surface).padEnd(8)}  ${plain(title ?? '-')}`
}

/** What model calls cost, as far as that is known; undefined when there were none. */
export function costText({ costUsd, unpricedCalls = 0 }: Usage): string | undefined {
  const unknown = unpricedCalls > 0 ? `${counted(unpricedCalls, 'call')} of unknown price` : undefined
  const known = costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`
  return known && unknown ? `${known} and ${unknown}` : (known ?? unknown)
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** A path as it is typed into a shell. */
export function quoted(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path)
}

export function isSet({ options }: CliInput, option: string): boolean {
  return options[option] === true
}

export function textOption({ options }: CliInput, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** A whole number above 0. Throws `CLI_USAGE`. */
export function countOption(input: CliInput, name: string, flag: string): number | undefined {
  const value = textOption(input, name)
  if (value === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new SvcError('CLI_USAGE', `${flag} is "${plain(value)}"; it must be a whole number above 0.`)
}
