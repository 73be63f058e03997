/** Forms with files, `multipart/form-data` (RFC 7578), as stand-ins read them. */
import type { ServiceRequest } from './server.ts'

/** A file of a form. @since 0.2 */
export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Undefined when the body is no form. @since 0.2 */
export function parseForm({
  headers,
  body,
}: Pick<ServiceRequest, 'headers' | 'body'>):
  | { readonly fields: Readonly<Record<string, string>>; readonly files: readonly UploadedFile[] }
  | undefined {
  const [, boundary] = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? []
  if (boundary === undefined) return undefined
  const fields: Record<string, string> = {}
  const files: UploadedFile[] = []
  for (const part of body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const bytes = Buffer.from(rest.join('\r\n\r\n').replace(/\r\n$/, ''), 'latin1')
    const heading = Buffer.from(head, 'latin1').toString('utf8')
    const [, field = ''] = /[ ;]name="([^"]*)"/.exec(heading) ?? []
    const [, name] = /filename="([^"]*)"/.exec(heading) ?? []
    const [, mediaType = ''] = /content-type: ([^\r\n]+)/i.exec(heading) ?? []
    if (name === undefined) fields[field] = bytes.toString('utf8')
    // Browsers write these three like that in names (html.spec.whatwg.org, "multipart form data").
    else files.push({ field, name: name.replace(/%(22|0D|0A)/g, decodeURIComponent), mediaType, bytes })
  }
  return { fields, files }
}
