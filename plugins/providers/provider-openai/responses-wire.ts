/**
 * From a conversation to the body of `POST /responses` (https://platform.openai.com/docs/api-reference/responses/create).
 * Nothing is kept by the service: reasoning comes encrypted with each answer and goes back in its place.
 */
import type {
  EasyInputMessage,
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses'
import type { ImageContent, Message, ToolCall } from 'svc/sdk'
import { shortenToolCallId } from 'svc/sdk/kit/wire'
import {
  type ModelRequest,
  type ProviderBlock,
  replayAnswer,
  type ToolDefinition,
  toObjectInput,
  toObjectSchema,
  toolResultText,
} from 'svc/sdk/provider'
import { formatPicture, type Wire, writers } from './answer.ts'
import type { CatalogEntry } from './catalog.ts'
import { chooseFormats, responsesFormat } from './formats.ts'
import { CARRIED, effortFor, listEfforts, nestOptions, type Options, TIER, takesTemperature } from './options.ts'
import { ResponsesAnswer } from './responses-assemble.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

const getWriter = writers()

/** The wire as a call takes it. */
export const responsesWire: Wire = {
  options: responsesOptions,
  body: responsesBody,
  answer: ({ model }, entry, newId) => new ResponsesAnswer(model, entry, newId),
}

/** What may be left out of a request of this wire. */
export function responsesOptions(request: ModelRequest, entry: CatalogEntry): Options {
  const { model, maxOutputTokens, reasoning, temperature, conversation, format, serviceTier } = request
  const efforts = listEfforts(model, entry.efforts)
  const effort = reasoning && effortFor(reasoning, efforts)
  const options = new Map<string, unknown>()
  if (maxOutputTokens !== undefined) options.set('max_output_tokens', maxOutputTokens)
  if (format !== undefined) options.set('text.format', responsesFormat(format, chooseFormats(entry, model)))
  if (effort !== undefined) options.set('reasoning.effort', effort)
  if (efforts.length > 0 && effort !== 'none' && !entry.withoutSummaries) options.set('reasoning.summary', 'auto')
  if (temperature !== undefined && takesTemperature(model)) options.set('temperature', temperature)
  if (conversation !== undefined && entry.cacheKey) options.set('prompt_cache_key', conversation)
  if (serviceTier !== undefined && entry.tiers?.includes(serviceTier)) options.set(TIER, serviceTier)
  if (!/^gpt-[34]/.test(model)) options.set('include', ['reasoning.encrypted_content'])
  options.set(CARRIED, true)
  return options.set('store', false).set('stream', true)
}

/** The body as JSON; the same request and options always give the same bytes. */
export function responsesBody(request: ModelRequest, entry: CatalogEntry, options: Options): string {
  const { model, messages, tools } = request
  const more = new Map(options)
  const isCarried = more.delete(CARRIED)
  const told = entry.instructions ? messages.filter(({ role }) => role !== 'system') : messages
  const parts = [`"model":${JSON.stringify(model)}`, `"input":[${createInput(told, { model, entry, isCarried })}]`]
  if (entry.instructions) parts.push(`"instructions":${JSON.stringify(getSystemText(messages))}`)
  const write = getWriter(entry)
  if (tools.length > 0)
    parts.push(`"tools":[${tools.map((tool) => write(tool, (each) => JSON.stringify(wireTool(each)))).join(',')}]`)
  return `{${parts.join(',')},${JSON.stringify(nestOptions(more)).slice(1)}`
}

/** To whom a conversation is told. */
interface Reader {
  readonly model: string
  readonly entry: CatalogEntry
  readonly isCarried: boolean
}

/** One system message, first. Pictures that have no place in an item follow as a user message. */
function createInput(messages: readonly Message[], reader: Reader): string {
  const write = getWriter(reader.entry)
  const system = getSystemText(messages)
  const wire: string[] = []
  if (system !== '') wire.push(JSON.stringify({ role: 'system', content: system }))
  let pictures: ResponseInputContent[] = []
  const pushPictures = () => {
    if (pictures.length > 0) wire.push(JSON.stringify({ role: 'user', content: pictures }))
    pictures = []
  }
  for (const message of messages) {
    if (message.role === 'system') continue
    if (message.role !== 'tool') pushPictures()
    const json = (each: typeof message) => JSON.stringify(createInputItems(each, reader)).slice(1, -1)
    // What is carried depends on who reads it, everything else on the message alone.
    const text = message.role === 'assistant' && message.carry ? json(message) : write(message, json)
    if (text !== '') wire.push(text)
    pictures.push(...picturesBehind(message, reader))
  }
  pushPictures()
  return wire.join(',')
}

function getSystemText(messages: readonly Message[]): string {
  return messages.flatMap((message) => (message.role === 'system' ? [message.text] : [])).join('\n\n')
}

function createInputItems(message: Exclude<Message, { role: 'system' }>, reader: Reader): ResponseInputItem[] {
  if (message.role === 'assistant') return answerItems(message, reader)
  const images = message.images ?? []
  if (message.role === 'user') return [{ role: 'user', content: createInputContent(message.text, images) }]
  const isPlain = images.length === 0 || reader.entry.plainResults === true
  const output = isPlain
    ? toolResultText(message)
    : (createInputContent(toolResultText(message), images) as ResponseInputContent[])
  return [{ type: 'function_call_output', call_id: shortenToolCallId(message.callId), output }]
}

function createInputContent(text: string, images: readonly ImageContent[]): string | ResponseInputContent[] {
  if (images.length === 0) return text
  const said: ResponseInputContent[] = text === '' ? [] : [{ type: 'input_text', text }]
  return [...said, ...images.map(wireImage)]
}

function picturesBehind(message: Exclude<Message, { role: 'system' }>, { entry }: Reader): ResponseInputContent[] {
  const isPlain = message.role === 'assistant' || (message.role === 'tool' && entry.plainResults === true)
  if (!isPlain || !message.images?.length) return []
  const text = message.role === 'tool' ? `Images from tool call ${message.callId}:` : 'Images of your last message:'
  return [{ type: 'input_text', text }, ...message.images.map(wireImage)]
}

/** The items of an earlier answer, in the order in which it came when that is known. */
function answerItems(message: AssistantMessage, { model, entry, isCarried }: Reader): ResponseInputItem[] {
  const items = replayAnswer(message, isCarried ? { provider: entry.id, model } : undefined).flatMap((part) => {
    if (part.type === 'text') return textItem(part.text, part.piece)
    return part.type === 'call' ? [wireCall(part.call)] : reasoningItem(part.piece)
  })
  return items.filter((item, at) => !isStray(item, items[at + 1]))
}

function reasoningItem(piece: ProviderBlock): ResponseReasoningItem[] {
  const isSealed = piece.type === 'reasoning' && typeof piece['encrypted_content'] === 'string'
  return isSealed ? [piece as unknown as ResponseReasoningItem] : []
}

/** Reasoning has to stand before what it led to; where that is gone, it is refused. */
function isStray(item: ResponseInputItem, next: ResponseInputItem | undefined): boolean {
  return item.type === 'reasoning' && (next === undefined || next.type === 'reasoning')
}

/** Without the empty line that set it apart from the message before. */
function textItem(content: string, piece: ProviderBlock | undefined): ResponseInputItem[] {
  const text = content.replace(/^\n\n/, '')
  const phase = piece?.['phase'] as EasyInputMessage['phase']
  return text === '' ? [] : [{ role: 'assistant', content: text, ...(phase ? { phase } : {}) }]
}

function wireCall({ id, name, input }: ToolCall): ResponseFunctionToolCall {
  return {
    type: 'function_call',
    call_id: shortenToolCallId(id),
    name,
    arguments: JSON.stringify(toObjectInput(input)),
  }
}

function wireImage(image: ImageContent): ResponseInputContent {
  const picture = formatPicture(image)
  return 'url' in picture
    ? { type: 'input_image', image_url: picture.url, detail: 'auto' }
    : { type: 'input_text', text: picture.text }
}

/** Not strict: schemas of tools have optional fields. */
function wireTool({ name, description, parameters }: ToolDefinition): FunctionTool {
  return { type: 'function', name, description, parameters: toObjectSchema(parameters), strict: false }
}
