/** How long a service asks to be left alone: in headers, in fields of its error, in words. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Parts may follow each other without a space. */
const PART = /(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z])/gi
/** `try again in 9m38.016s`, `retry after 26 seconds`, `wait 1 minute`. */
const WAIT_TEXT =
  /\b(?:again in|retry in|retry after|again after|please wait)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)/i
const REGAINED = /regain access on (\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d) UTC)?/i
/** `x-ratelimit-reset-tokens`, `x-ratelimit-reset`, `anthropic-ratelimit-requests-reset`. */
const RESET = /^(?:x-|anthropic-)ratelimit-(?:(?<after>.+)-)?reset(?:-(?<before>.+))?$/

/**
 * How long a server asks to wait: `Retry-After` (RFC 9110, 10.2.3: seconds or a date) or OpenAI's `retry-after-ms`.
 * @since 0.2
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The retry delay in a response. `parsed` is its body, `text` the whole error text. */
export function saidWait(
  {
    headers,
    parsed,
    text,
    status,
  }: { headers: Readonly<Record<string, string>>; parsed: unknown; text: string; status: number },
  now: number,
): number | undefined {
  const inner = upstreamHeaders(parsed)
  const isLimited = status === 429 || status === 503
  return (
    parseRetryAfter(headers, now) ??
    parseRetryAfter(inner, now) ??
    retryInfo(parsed) ??
    wordsWait(text, now) ??
    (isLimited ? (resetWait(headers, now) ?? resetWait(inner, now)) : undefined)
  )
}

/** `google.rpc.RetryInfo` among the details: `"retryDelay": "34.07s"`. */
function retryInfo(parsed: unknown): number | undefined {
  const details = at(at(parsed, 'error'), 'details')
  for (const detail of Array.isArray(details) ? details : []) {
    const delay = at(detail, 'retryDelay')
    if (typeof delay === 'string') return durationMs(delay)
  }
  return undefined
}

function wordsWait(text: string, now: number): number | undefined {
  const said = WAIT_TEXT.exec(text)?.[1]
  if (said !== undefined) return durationMs(said)
  const [, day, hour = '00:00'] = REGAINED.exec(text) ?? []
  return day === undefined ? undefined : Math.max(0, Date.parse(`${day}T${hour}Z`) - now)
}

/** The time until the last exhausted limit resets. A limit with something remaining did not cause the rejection. */
function resetWait(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const waits = Object.entries(headers).flatMap(([name, value]) => {
    const { after, before } = RESET.exec(name)?.groups ?? {}
    if (!RESET.test(name) || Number(headers[getRemainingHeader(name, after ?? before)] ?? 0) > 0) return []
    return untilReset(value.trim(), now)
  })
  return waits.length === 0 ? undefined : Math.max(...waits)
}

function getRemainingHeader(name: string, what: string | undefined): string {
  if (name.startsWith('anthropic-')) return `anthropic-ratelimit-${what}-remaining`
  return what === undefined ? 'x-ratelimit-remaining' : `x-ratelimit-remaining-${what}`
}

/** As a duration, a date, seconds since 1970, milliseconds since then, or seconds from now. */
function untilReset(value: string, now: number): number[] {
  const isNumber = /^\d+(\.\d+)?$/.test(value)
  const count = Number(value)
  const duration = isNumber ? undefined : durationMs(value)
  if (duration !== undefined) return [duration]
  const ms = !isNumber
    ? Date.parse(value) - now
    : count >= 1e11
      ? count - now
      : count >= 1e9
        ? count * 1000 - now
        : count * 1000
  return Number.isNaN(ms) ? [] : [Math.max(0, ms)]
}

/** `9m38.016s`, `34.07s`, `120ms`, `2 minutes`; undefined when there is nothing of the kind. */
function durationMs(text: string): number | undefined {
  const parts = [...text.matchAll(PART)]
  if (parts.length === 0) return undefined
  return Math.ceil(
    parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[shortenUnit(unit)] ?? 0), 0),
  )
}

function shortenUnit(unit: string): string {
  const word = unit.toLowerCase()
  return word === 'ms' || word.startsWith('milli') ? 'ms' : word.charAt(0)
}

/** Those that a router got from the service behind it (OpenRouter: `error.metadata.headers`). */
function upstreamHeaders(parsed: unknown): Readonly<Record<string, string>> {
  const headers = at(at(at(parsed, 'error'), 'metadata'), 'headers')
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
