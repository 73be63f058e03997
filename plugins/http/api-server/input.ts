/** Reads what a client says: messages of chat completions and input items of responses, into ours. */
import { type ImageContent, type Message, SvcError } from 'svc/sdk'
import type { MediaFiles } from 'svc/sdk/media'
import { about, createFieldError } from './envelope.ts'
import { decodeWindow } from './window-item.ts'

/** What is said now, and what was said before. */
export interface ParsedInput {
  /** Words of the front end that are put behind the core prompt. */
  readonly system: string
  readonly history: readonly Message[]
  readonly text: string
  readonly images: readonly ImageContent[]
}

/** Reads pictures; throws for other data. */
export type ReadImage = (url: string) => Promise<ImageContent>

/** How what is not in the request itself is read. */
export interface Reading {
  readonly image: ReadImage
  /** The content of an item that this server returned; undefined if it is unknown. */
  readonly itemText?: (id: string) => string | undefined
}

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
export async function readMessages(value: unknown, field: string, reading: Reading): Promise<ParsedInput> {
  const { system, messages, result } = await readAll(value, field, reading)
  if (result !== undefined)
    throw createFieldError(
      result,
      `${field} ends with the result of a tool of the client, and the agent calls its own tools only. End with a message of the user.`,
    )
  const last = messages.pop()
  if (last?.role !== 'user') throw createFieldError(field, `The last of ${field} has to be of the user.`)
  if (last.text.trim() === '' && !last.images?.length)
    throw createFieldError(field, `The last of ${field} says nothing.`)
  return { system: system.join('\n'), history: messages, text: last.text, images: last.images ?? [] }
}

/** What was said before; words of the system do not belong there. */
export async function readHistory(value: unknown, field: string, reading: Reading): Promise<readonly Message[]> {
  return (await readAll(value, field, reading)).messages
}

interface All {
  readonly system: string[]
  readonly messages: Message[]
  /** The index of a tool result that is the last message. */
  result: string | undefined
}

async function readAll(value: unknown, field: string, reading: Reading): Promise<All> {
  if (!Array.isArray(value) || value.length === 0)
    throw createFieldError(field, `${field} is a list of messages and not empty.`)
  if (value.length > MAX_MESSAGES) throw createFieldError(field, `${field} has more than ${MAX_MESSAGES} messages.`)
  const all: All = { system: [], messages: [], result: undefined }
  for (const [at, entry] of value.entries()) await readEntry(all, entry, `${field}[${at}]`, reading)
  return all
}

async function readEntry(all: All, entry: unknown, place: string, reading: Reading): Promise<void> {
  const message = await readMessage(entry, place, reading)
  if (message?.role === 'user') all.result = undefined
  else if (isResult(entry)) all.result = place
  if (message?.role === 'system') all.system.push(message.text)
  else if (message) all.messages.push(message)
  const window = message ? undefined : decodeWindow(entry as Entry)
  // It replaces all earlier messages.
  if (window) all.messages.splice(0, all.messages.length, ...window)
}

/** Undefined for items other than messages: tool calls, reasoning, and items of other servers. */
async function readMessage(entry: unknown, place: string, reading: Reading): Promise<Message | undefined> {
  const message = typeof entry === 'string' ? { role: 'user', content: entry } : (entry as Entry | null)
  if (typeof message !== 'object' || message === null) throw createFieldError(place, `${place} is not a message.`)
  const { role, type } = message
  if (type === 'item_reference') return referredTo(message, place, reading)
  if (role === 'tool' || role === 'function') return undefined
  if (role === undefined && typeof type === 'string' && type !== 'message') return undefined
  if (!roles.has(role))
    throw createFieldError(`${place}.role`, `${place}.role is system, developer, user or assistant.`)
  const said = await readContent(message['content'], `${place}.content`, reading.image)
  if (role === 'user') return { role, ...said }
  if (role === 'assistant') return said.text ? { role, text: said.text } : undefined
  return { role: 'system', text: said.text }
}

/** The session has the calls; what was said has to be known. */
function referredTo({ id }: Entry, place: string, { itemText }: Reading): Message | undefined {
  if (typeof id !== 'string') throw createFieldError(`${place}.id`, `${place}.id is the id of an item.`)
  if (!id.startsWith('msg_')) return undefined
  const text = itemText?.(id)
  if (text !== undefined) return text ? { role: 'assistant', text } : undefined
  const problem = `There is no item "${id.slice(0, 100)}" any more. Send the message itself.`
  throw about(`${place}.id`, new SvcError('API_ITEM_NOT_FOUND', problem, { status: 404 }))
}

/** Sent by a client that has run its own tool. */
function isResult(entry: unknown): boolean {
  const { role, type } = (typeof entry === 'object' && entry !== null ? entry : {}) as Entry
  if (role === 'tool' || role === 'function') return true
  return typeof type === 'string' && (type.endsWith('_call_output') || type === 'mcp_approval_response')
}

async function readContent(
  content: unknown,
  place: string,
  readImage: ReadImage,
): Promise<{ readonly text: string; readonly images?: readonly ImageContent[] }> {
  if (content === null || content === undefined) return { text: '' }
  if (typeof content === 'string') return { text: cut(content) }
  if (!Array.isArray(content)) throw invalidPart(place, 'is text or a list of parts')
  if (content.length > MAX_PARTS) throw invalidPart(place, `has more than ${MAX_PARTS} parts`)
  const texts: string[] = []
  const images: ImageContent[] = []
  for (const [at, part] of (content as readonly (Entry | string | null)[]).entries()) {
    const text = readPartText(part)
    if (text !== undefined) texts.push(text)
    else if (typeof part !== 'string' && imageParts.has(getPartType(part)))
      images.push(await readImagePart(part, `${place}[${at}]`, readImage))
    else throw invalidPart(place, `has a part of type "${getPartType(part)}"; text and pictures are taken`)
  }
  return { text: cut(texts.join('\n')), ...(images.length > 0 && { images }) }
}

/** Undefined for a part without text. */
function readPartText(part: Entry | string | null): string | undefined {
  if (typeof part === 'string') return part
  const text =
    part?.['type'] === 'refusal' ? part['refusal'] : textParts.has(getPartType(part)) ? part?.['text'] : undefined
  return typeof text === 'string' ? text : undefined
}

function getPartType(part: Entry | string | null): string {
  return String(typeof part === 'string' ? 'text' : part?.['type']).slice(0, 40)
}

async function readImagePart(part: Entry | null, place: string, readImage: ReadImage): Promise<ImageContent> {
  const given = part?.['image_url']
  const url = typeof given === 'object' && given !== null ? (given as Entry)['url'] : given
  if (typeof url !== 'string' || !/^(https?:\/\/|data:image\/)/i.test(url))
    throw invalidImage(place, 'is neither an http(s) address nor a data:image/ URL')
  if (/^data:/i.test(url) && !hasBase64(url))
    throw invalidImage(place, 'is not base64: it is cut off or has other characters.')
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
  return about(place, new SvcError('API_INVALID_IMAGE_URL', `The picture in ${place} ${problem}`, { status: 400 }))
}

/** What is too long is cut at a whole character, and says so. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text
  return `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}\n[The API server cut this message here: it was longer than ${MAX_TEXT} characters.]`
}

/** What services would refuse. Line breaks and a missing end of equals signs are forgiven. */
function hasBase64(url: string): boolean {
  const bare = url
    .slice(url.indexOf(',') + 1)
    .replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\s+/g, '')
    .replace(/={1,2}$/, '')
  return bare.length > 1 && bare.length % 4 !== 1 && !/[^\w+/-]/.test(bare)
}

/** Pictures by the service that guards files and addresses; without it only those that are sent along. */
export function imageReader(files: MediaFiles | undefined, signal: AbortSignal): ReadImage {
  return async (source) => {
    if (!files) return sentAlong(source)
    const { bytes, mediaType } = await files.picture({ source, cwd: '/', signal })
    return { mediaType, data: Buffer.from(bytes).toString('base64') }
  }
}

function sentAlong(source: string): ImageContent {
  const [, mediaType] = /^data:(image\/[\w.+-]+);base64,/i.exec(source) ?? []
  const bytes = Buffer.from(source.slice(source.indexOf(',') + 1), 'base64')
  if (mediaType && bytes.length > 0) return { mediaType: mediaType.toLowerCase(), data: bytes.toString('base64') }
  throw new SvcError('API_INVALID_IMAGE_URL', 'Only base64 pictures are taken here.', { status: 400 })
}
