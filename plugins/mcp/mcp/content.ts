/** What a server answered, as the result of a tool. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolResult } from 'svc/sdk'
import { keepNewest } from 'svc/sdk/kit/files'
import type { CallResult, ContentBlock } from './peer.ts'

const MAX_TEXT = 8 * 1_048_576
const MAX_IMAGES = 8
const MAX_KEPT = 200
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const ENDINGS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'image/svg+xml': 'svg',
  'application/pdf': 'pdf',
  'application/gzip': 'gz',
  'application/zip': 'zip',
  'application/json': 'json',
  'text/plain': 'txt',
}

interface Converted {
  readonly text: string
  readonly image?: { readonly mediaType: string; readonly data: string }
}

/** `dir` keeps sounds and other files; the newest of them stay. */
export async function toToolResult(server: string, result: CallResult, dir: string): Promise<ToolResult> {
  const parts: Converted[] = []
  for (const block of result.content ?? []) parts.push(await convert(block, dir))
  const images = parts.flatMap(({ image }) => image ?? []).slice(0, MAX_IMAGES)
  const said = parts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n')
  const structured = result.structuredContent
  const whole = said === '' && structured !== undefined ? JSON.stringify(structured, undefined, 2) : said
  const text = whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT)}\n[cut: ${whole.length} characters]` : whole
  return {
    text: text === '' ? (images.length > 0 ? 'A picture.' : 'The tool answered without a text.') : text,
    origin: `answer of the MCP server ${server}`,
    ...(result.isError === true && { failed: true }),
    ...(images.length > 0 && { images }),
    ...(structured !== undefined && whole.length <= MAX_TEXT && { data: structured }),
  }
}

async function convert(block: ContentBlock, dir: string): Promise<Converted> {
  if (block.type === 'text') return { text: block.text }
  if (block.type === 'resource_link') return { text: `[resource ${block.uri}${block.name ? `: ${block.name}` : ''}]` }
  if (block.type === 'image' || block.type === 'audio') return toFile(block.data, block.mimeType, dir, block.type)
  if (block.type !== 'resource') return { text: '[content of a kind that svc does not know]' }
  const { uri, text, blob, mimeType = 'application/octet-stream' } = block.resource
  if (text !== undefined) return { text: `[resource ${uri}]\n${text}` }
  return blob === undefined ? { text: `[resource ${uri}: empty]` } : toFile(blob, mimeType, dir, `resource ${uri}`)
}

async function toFile(data: string, mediaType: string, dir: string, what: string): Promise<Converted> {
  if (PICTURES.includes(mediaType)) return { text: '', image: { mediaType, data } }
  const bytes = Buffer.from(data, 'base64')
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 24)
  const path = join(dir, `${name}.${ENDINGS[mediaType] ?? 'bin'}`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await writeFile(path, bytes, { mode: 0o600 })
  await keepNewest(dir, MAX_KEPT)
  return { text: `[${what}, ${mediaType}, ${bytes.length} bytes, kept in ${path}]` }
}

/** The messages of a prompt as one text. */
export function formatPrompt(messages: readonly { readonly role: string; readonly content: ContentBlock }[]): string {
  const lines = messages.map(({ role, content }) => {
    const text = content.type === 'text' ? content.text : `[${content.type}]`
    return messages.length === 1 ? text : `${role}: ${text}`
  })
  return lines.join('\n\n')
}
