/**
 * Messages in the form of chat completions (https://platform.openai.com/docs/api-reference/chat/create), as far as all
 * compatible services agree. What a service adds is up to its provider.
 */
import type { ImageContent, Message, ToolCall } from '../../messages.ts'
import { toObjectInput, toolResultText } from '../../model-request.ts'

/** A part of a message of the user. @since 0.2 */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

/** A call of a tool in a message of the assistant. `arguments` is JSON of an object. @since 0.2 */
export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** One message. @since 0.2 */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | ChatPart[] }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: ChatToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/** How a service wants ids and pictures; left out: as they are, and as `data:` URLs. @since 0.2 */
export interface ChatForms {
  readonly id?: (callId: string) => string
  readonly image?: (image: ImageContent) => ChatPart
}

/** One message without the pictures of tools and of the model: see `toFollowingPictures`. @since 0.2 */
export function toChatMessage(message: Message, { id = asItIs, image = toChatImage }: ChatForms = {}): ChatMessage {
  if (message.role === 'system') return { role: 'system', content: message.text }
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: id(message.callId), content: toolResultText(message) }
  if (message.role === 'user') return { role: 'user', content: userContent(message, image) }
  const { text, toolCalls = [] } = message
  if (toolCalls.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: toolCalls.map((call) => toChatToolCall(call, id)),
  }
}

/** @since 0.2 */
export function toChatToolCall({ id, name, input }: ToolCall, idOf: (id: string) => string = asItIs): ChatToolCall {
  return { id: idOf(id), type: 'function', function: { name, arguments: JSON.stringify(toObjectInput(input)) } }
}

/**
 * Pictures of a tool or of the model, for a message of the user behind it: messages of both may hold text only. Empty for a
 * message without any.
 * @since 0.2
 */
export function toFollowingPictures(message: Message, { image = toChatImage }: ChatForms = {}): ChatPart[] {
  if ((message.role !== 'tool' && message.role !== 'assistant') || !message.images?.length) return []
  const isTool = message.role === 'tool'
  const text = isTool ? `Images from tool call ${message.callId}:` : 'Images of your last message:'
  return [{ type: 'text', text }, ...message.images.map(image)]
}

/** A conversation, with the pictures of a round of tools in one message of the user behind its results. @since 0.2 */
export function* toChatMessages(messages: Iterable<Message>, forms: ChatForms = {}): Generator<ChatMessage, void> {
  let pictures: ChatPart[] = []
  for (const message of messages) {
    if (message.role !== 'tool' && pictures.length > 0) {
      yield { role: 'user', content: pictures }
      pictures = []
    }
    yield toChatMessage(message, forms)
    pictures.push(...toFollowingPictures(message, forms))
  }
  if (pictures.length > 0) yield { role: 'user', content: pictures }
}

function userContent(
  { text, images = [] }: Extract<Message, { role: 'user' }>,
  image: (image: ImageContent) => ChatPart,
): string | ChatPart[] {
  if (images.length === 0) return text
  return [...(text === '' ? [] : [{ type: 'text', text } as const]), ...images.map(image)]
}

function toChatImage({ mediaType, data }: ImageContent): ChatPart {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } }
}

const asItIs = (id: string) => id
