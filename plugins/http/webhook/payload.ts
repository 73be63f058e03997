/** A body as a payload: JSON, or a form. */
import { parseJsonBody } from 'svc/sdk/web'

/** The payload, or a body that takes too long to be parsed; undefined for anything else, XML among it. */
export type ReadPayload = { readonly payload: object } | { readonly limit: string } | undefined

/** `maxBytes` is the limit of the whole body, which was kept already. */
export function readPayload(body: Uint8Array, contentType = '', maxBytes = body.length): ReadPayload {
  const read = parseJsonBody(body, { maxPlainBytes: maxBytes })
  if (read.kind === 'limit') return { limit: read.reason }
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType)
  const payload = toObject(read) ?? (isForm ? form(Buffer.from(body).toString('utf8')) : undefined)
  return payload && { payload }
}

function toObject(read: ReturnType<typeof parseJsonBody>): object | undefined {
  return read.kind === 'value' && typeof read.value === 'object' && read.value !== null ? read.value : undefined
}

function json(text: string): object | undefined {
  const bytes = Buffer.from(text)
  return toObject(parseJsonBody(bytes, { maxPlainBytes: bytes.length }))
}

/** Code hosts put their JSON into the field `payload`. */
function form(text: string): object | undefined {
  const fields = [...new URLSearchParams(text)]
  if (fields.length === 0) return undefined
  const [name, value = ''] = fields[0] ?? []
  const inner = fields.length === 1 && name === 'payload' ? json(value) : undefined
  return inner ?? Object.fromEntries(fields)
}
