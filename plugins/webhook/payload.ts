/** A body as a payload: JSON, or a form. */
import { parseJson } from 'svc/sdk'

/** Undefined for anything else, XML among it. */
export function payloadOf(body: Uint8Array, contentType = ''): { readonly payload: object } | undefined {
  const text = Buffer.from(body).toString('utf8')
  const payload = json(text) ?? (/^application\/x-www-form-urlencoded\b/i.test(contentType) ? form(text) : undefined)
  return payload && { payload }
}

function json(text: string): object | undefined {
  const value = parseJson(text)?.value
  return typeof value === 'object' && value !== null ? value : undefined
}

/** Code hosts put their JSON into the field `payload`. */
function form(text: string): object | undefined {
  const fields = [...new URLSearchParams(text)]
  if (fields.length === 0) return undefined
  const [name, value = ''] = fields[0] ?? []
  const inner = fields.length === 1 && name === 'payload' ? json(value) : undefined
  return inner ?? Object.fromEntries(fields)
}
