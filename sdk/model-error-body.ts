/** The errors of model services as they are written: each service has its own form. */
import { tryParseJson } from './model-stream.ts'

type Fields = Readonly<Record<string, unknown>>

/** An error as services write it. */
export interface ServiceError {
  /** There was an `error`, not only some text. */
  readonly isError: boolean
  /** One line, masked, that ends like a sentence; empty when there was none. */
  readonly message: string
  /** The service's own word for it, masked. */
  readonly code: string
  /** All of its words for it. */
  readonly codes: readonly string[]
  /** The raw error text: for classification, not for display. */
  readonly text: string
  /** The body as a value. */
  readonly parsed: unknown
}

const MAX_LENGTH = 300
const CODES = ['code', 'type', 'reason', 'status'] as const

/** `{error: {message, type, code}}`, `{error: text}`, `{message}`, `{detail}`, a list with one of these, a page or plain text. */
export function readServiceError(body: string, mask: (text: string) => string): ServiceError {
  const parsed = tryParseJson(body)?.value
  // Google puts its error into a list.
  const top = toFields(Array.isArray(parsed) ? parsed[0] : parsed)
  const inner = toFields(top['error'])
  const words = readWords(top, body)
  const codes = [...namesIn(inner), ...namesIn(top)]
  const details = Array.isArray(inner['details']) ? JSON.stringify(inner['details']) : ''
  return {
    isError: Boolean(top['error']),
    message: oneLine(mask(words)),
    code: mask(String(inner['code'] || inner['type'] || codes[0] || '')).slice(0, 100),
    codes,
    text: isPage(body) ? `a web page ${words}` : `${words} ${details}`,
    parsed: top,
  }
}

function readWords(top: Fields, body: string): string {
  if (isPage(body)) return /<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? ''
  if (Object.keys(top).length === 0) return tryParseJson(body) ? '' : body
  const inner = toFields(top['error'])
  const said = readText(top['error']) || readText(top['message'] ?? top['detail'] ?? top['msg'])
  return `${said || body}${behind(inner)}`
}

/** The words inside of what may be an error, the text of one, or a list of complaints. */
function readText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  const { message, error, detail } = toFields(value)
  return readText(message ?? error ?? detail) || JSON.stringify(value)
}

/** What a router got from the service behind it, and output of a model that could not be parsed. */
function behind({ metadata, failed_generation: written }: Fields): string {
  const { raw, provider_name: name } = toFields(metadata)
  const upstream =
    typeof raw === 'string' && raw !== '' ? readWords(toFields(tryParseJson(raw)?.value), raw) : readText(raw)
  const from = upstream === '' ? '' : ` (${typeof name === 'string' ? name : 'upstream'}: ${upstream})`
  const quoted = typeof written === 'string' && written !== '' ? ` It wrote: ${written}` : ''
  return from + quoted
}

function namesIn(fields: Fields): string[] {
  return CODES.flatMap((name) => {
    const value = fields[name]
    return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
  }).filter((value) => value !== '')
}

function isPage(body: string): boolean {
  return /^\s*</.test(body)
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** At most 300 characters that end like a sentence. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length > MAX_LENGTH) return `${line.slice(0, MAX_LENGTH)}...`
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`
}
