/** What people see of the Markdown of robots, and files in forms (https://open.dingtalk.com/document/orgapp). */
import type { ServiceRequest } from './service.ts'

/** A mark behind a backslash; a block of code; code; a link; marks of style, of a block, and of a line's end. */
const MARKS =
  /\\([\\*`_[\]#>])|```\w*\n([\s\S]*?)\n?```|`([^`\n]+)`|\[((?:\\.|[^\]\\])*)\]\([^)]*\)|\*|^#{1,6} |^> | {2}$/gm

/** Words without marks. */
export function markdownWords(markdown: string): string {
  return markdown.replace(
    MARKS,
    (_all, escaped?: string, block?: string, code?: string, link?: string) =>
      escaped ?? block ?? code ?? (link === undefined ? '' : markdownWords(link)),
  )
}

/** The file of a form with one (RFC 7578). */
export function uploadedFile({ headers, body }: ServiceRequest): { name: string; bytes: Uint8Array } {
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const text = body.toString('latin1')
  const head = /filename="([^"]*)"[\s\S]*?\r\n\r\n/.exec(text)
  if (!head) return { name: '', bytes: Buffer.alloc(0) }
  const start = head.index + head[0].length
  const end = text.indexOf(`\r\n--${boundary}`, start)
  return { name: Buffer.from(head[1] ?? '', 'latin1').toString('utf8'), bytes: body.subarray(start, end) }
}
