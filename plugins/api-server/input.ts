/** Reads what a client says: messages of chat completions and input items of responses, into ours. */
import { type Image, type MediaFiles, type Message, SvcError } from 'svc/sdk'
import { about, wrong } from './envelope.ts'

/** What is said now, and what was said before. */
export interface Said {
  /** Words of the front end that are put behind the core prompt. */
  readonly system: string
  readonly history: readonly Message[]
  readonly text: string
  readonly images: readonly Image[]
}

/** Reads pictures; throws when they are none. */
export type ReadImage = (url: string) => Promise<Image>

const roles = new Set<unknown>(['system', 'developer', 'user', 'assistant'])
const MAX_TEXT = 65_536
const MAX_PARTS = 1000
/** More than a model can be given; each costs the other clients a moment. */
const MAX_MESSAGES = 4000
/** What the two APIs call the parts of a message. */
const textParts = new Set(['text', 'input_text', 'output_text'])
const imageParts = new Set(['image_url', 'input_image'])

type Entry = Readonly<Record<string, unknown>>

/** Messages in the order in which they were said. Throws with the place of what cannot be taken. */
export async function readMessages(value: unknown, field: string, readImage: ReadImage): Promise<Said> {
  if (!Array.isArray(value) || value.length === 0) throw wrong(field, `${field} is a list of messages and not empty.`)
  if (value.length > MAX_MESSAGES) throw wrong(field, `${field} has more than ${MAX_MESSAGES} messages.`)
  const system: string[] = []
  const messages: Message[] = []
  for (const [at, entry] of value.entries()) {
    const message = await readMessage(entry, `${field}[${at}]`, readImage)
    if (message?.role === 'system') system.push(message.text)
    else if (message) messages.push(message)
  }
  const last = messages.pop()
  if (last?.role !== 'user') throw wrong(field, `The last of ${field} has to be of the user.`)
  return { system: system.join('\n'), history: messages, text: last.text, images: last.images ?? [] }
}

/** Undefined for what the session of the server has already: calls and results of its tools. */
async function readMessage(entry: unknown, place: string, readImage: ReadImage): Promise<Message | undefined> {
  const message = typeof entry === 'string' ? { role: 'user', content: entry } : (entry as Entry | null)
  if (typeof message !== 'object' || message === null) throw wrong(place, `${place} is not a message.`)
  const { role } = message
  if (role === 'tool' || role === 'function' || isCallItem(message)) return undefined
  if (!roles.has(role)) throw wrong(`${place}.role`, `${place}.role is system, developer, user or assistant.`)
  const said = await readContent(message['content'], `${place}.content`, readImage)
  if (role === 'user') return { role, ...said }
  if (role === 'assistant') return said.text ? { role, text: said.text } : undefined
  return { role: 'system', text: said.text }
}

/** Calls that the server made itself are in its session already. */
function isCallItem({ type }: Entry): boolean {
  return type === 'function_call' || type === 'function_call_output' || type === 'reasoning'
}

async function readContent(
  content: unknown,
  place: string,
  readImage: ReadImage,
): Promise<{ readonly text: string; readonly images?: readonly Image[] }> {
  if (content === null || content === undefined) return { text: '' }
  if (typeof content === 'string') return { text: cut(content) }
  if (!Array.isArray(content)) throw invalidPart(place, 'is text or a list of parts')
  if (content.length > MAX_PARTS) throw invalidPart(place, `has more than ${MAX_PARTS} parts`)
  const texts: string[] = []
  const images: Image[] = []
  for (const part of content as readonly (Entry | string | null)[]) {
    if (typeof part === 'string') texts.push(part)
    else if (textParts.has(String(part?.['type'])) && typeof part?.['text'] === 'string') texts.push(part['text'])
    else if (imageParts.has(String(part?.['type']))) images.push(await imageOf(part, place, readImage))
    else
      throw invalidPart(
        place,
        `has a part of type "${String(part?.['type']).slice(0, 40)}"; text and pictures are taken`,
      )
  }
  return { text: cut(texts.join('\n')), ...(images.length > 0 && { images }) }
}

async function imageOf(part: Entry | null, place: string, readImage: ReadImage): Promise<Image> {
  const given = part?.['image_url']
  const url = typeof given === 'object' && given !== null ? (given as Entry)['url'] : given
  if (typeof url !== 'string' || !/^(https?:\/\/|data:image\/)/i.test(url))
    throw invalidImage(place, 'is neither an http(s) address nor a data:image/ URL')
  try {
    return await readImage(url)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    throw invalidImage(place, `cannot be used: ${error.message}`)
  }
}

function invalidPart(place: string, problem: string): SvcError {
  return about(place, new SvcError('API_INVALID_CONTENT_PART', `${place} ${problem}.`, { status: 400 }))
}

function invalidImage(place: string, problem: string): SvcError {
  return about(place, new SvcError('API_INVALID_IMAGE_URL', `A picture in ${place} ${problem}`, { status: 400 }))
}

/** What is too long is cut at a whole character, and says so. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text
  return `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}\n[The API server cut this message here: it was longer than ${MAX_TEXT} characters.]`
}

/** Pictures by the service that guards files and addresses; without it only those that are sent along. */
export function imageReader(files: MediaFiles | undefined, signal: AbortSignal): ReadImage {
  return async (source) => {
    if (!files) return sentAlong(source)
    const { bytes, mediaType } = await files.picture({ source, cwd: '/', signal })
    return { mediaType, data: Buffer.from(bytes).toString('base64') }
  }
}

function sentAlong(source: string): Image {
  const [, mediaType, data] = /^data:(image\/[\w.+-]+);base64,([\w+/=]+)$/i.exec(source) ?? []
  if (mediaType && data) return { mediaType: mediaType.toLowerCase(), data }
  throw new SvcError('API_INVALID_IMAGE_URL', 'Only base64 pictures are taken here.', { status: 400 })
}
