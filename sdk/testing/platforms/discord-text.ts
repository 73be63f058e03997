/** Discord's Markdown as people see it, and forms with files (discord.com/developers/docs/reference, "Uploading Files"). */
import type { ServiceRequest } from './service.ts'

const PIECES = new RegExp(
  [
    String.raw`\`\`\`(?:[\w+-]*\n)?(?<block>[\s\S]*?)\n?\`\`\``,
    String.raw`(?<ticks>\`+)(?<code>[\s\S]*?[^\`])\k<ticks>(?!\`)`,
    String.raw`\\(?<plain>[^\w\s])`,
    String.raw`\[(?<label>(?:\\.|[^\]\\])+)\]\(<?(?<address>[^)\s>]+)>?\)`,
    String.raw`(?<bare>https?:\/\/[^\s<>]+)`,
    String.raw`(?<mark>\*{1,3}|~~|\|\||__)`,
    String.raw`^(?<line>(?:#{1,3}|>) )`,
  ].join('|'),
  'gm',
)

/** The words, without marks. */
export function discordWords(text: string): string {
  const words = text.replace(PIECES, (...match) => {
    const groups = match.at(-1) as Record<string, string | undefined>
    const { block, code, plain, label, bare } = groups
    if (label !== undefined) return discordWords(label)
    return block ?? code ?? plain ?? bare ?? ''
  })
  return words.replaceAll('\u200b', '')
}

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
