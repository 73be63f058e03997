/** Files that go with a message: pictures as they are, texts as a block of the message. */
import { t } from '../client/language.ts'
import type { Picture } from '../client/outbox.ts'

export interface Attached {
  readonly name: string
  readonly picture?: Picture
  readonly text?: string
}

const MAX_PICTURE_BYTES = 10_000_000
const MAX_TEXT_BYTES = 256_000

/** Rejects with a sentence for what cannot go with a message. */
export async function fromFiles(file: File): Promise<Attached> {
  const name = file.name || 'picture'
  if (file.type.startsWith('image/')) {
    if (file.size > MAX_PICTURE_BYTES) throw new Error(t('{name} is larger than 10 MB.', { name }))
    return { name, picture: { media_type: file.type, data: await toBase64(file) } }
  }
  if (file.size > MAX_TEXT_BYTES)
    throw new Error(t('{name} is too large for a message. Name its path with @ instead.', { name }))
  const text = await file.text()
  if (text.includes('\0')) throw new Error(t('{name} is neither a picture nor a text.', { name }))
  return { name, text }
}

/** The words of a message with the texts of its files, and its pictures. */
export function withFiles(text: string, files: readonly Attached[]): { words: string; pictures: Picture[] } {
  const blocks = files.flatMap(({ name, text: content }) =>
    content === undefined ? [] : [`${name}:\n\n${fence(content)}`],
  )
  return { words: [text, ...blocks].join('\n\n').trim(), pictures: files.flatMap(({ picture }) => picture ?? []) }
}

/** A fence that the text does not contain. */
function fence(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${content}\n${marks}`
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
