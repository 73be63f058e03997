/** Parameters of a call of the Bot API, as JSON or as a form with a file (RFC 7578). */
import type { ServiceRequest } from './service.ts'

/** A file that was sent. */
export interface SentFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** In forms, values that are no text are JSON. */
export function readForm(request: ServiceRequest): {
  readonly params: Readonly<Record<string, unknown>>
  readonly file?: SentFile
} {
  const [, boundary] = /boundary=([\w-]+)/.exec(request.headers['content-type'] ?? '') ?? []
  if (boundary === undefined) return { params: (request.json() ?? {}) as Readonly<Record<string, unknown>> }
  const params: Record<string, unknown> = {}
  let file: SentFile | undefined
  for (const part of request.body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.replace(/^\r\n|\r\n$/g, '').split('\r\n\r\n')
    const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1')
    const heading = Buffer.from(head, 'latin1').toString('utf8')
    const [, name = ''] = /name="([^"]*)"/.exec(heading) ?? []
    const [, filename] = /filename="([^"]*)"/.exec(heading) ?? []
    if (filename === undefined) params[name] = valueIn(name, body.toString('utf8'))
    else file = { name: filename.replace(/%(22|0D|0A)/g, decodeURIComponent), bytes: body }
  }
  return { params, ...(file && { file }) }
}

function valueIn(name: string, text: string): unknown {
  return ['reply_markup', 'reply_parameters'].includes(name) ? JSON.parse(text) : text
}
