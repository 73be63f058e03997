/** Forms with files, `multipart/form-data` (RFC 7578), as stand-ins read them. */
import type { ServiceRequest } from './service.ts'

/** A body of JSON, or a form with its `payload_json` and files. */
export function formOf(request: ServiceRequest): {
  readonly json: unknown
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[]
} {
  const [, boundary] = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '') ?? []
  if (boundary === undefined) return { json: request.json(), files: [] }
  let json: unknown
  const files: { name: string; bytes: Uint8Array }[] = []
  for (const part of request.body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const bytes = Buffer.from(rest.join('\r\n\r\n').replace(/\r\n$/, ''), 'latin1')
    const [, file] = /filename="([^"]*)"/.exec(Buffer.from(head, 'latin1').toString('utf8')) ?? []
    if (file !== undefined) files.push({ name: file, bytes })
    else if (head.includes('name="payload_json"')) json = JSON.parse(bytes.toString('utf8'))
  }
  return { json, files }
}
