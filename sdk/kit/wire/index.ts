/** `svc/sdk/kit/wire`: our data in the forms of public protocols. */

export { shortenToolCallId } from '../../wire-names.ts'
export {
  type ChatForms,
  type ChatMessage,
  type ChatPart,
  type ChatToolCall,
  toChatMessage,
  toChatMessages,
  toChatToolCall,
  toFollowingPictures,
} from './chat-messages.ts'
export {
  type AnthropicThinking,
  type AnthropicThinkingBlock,
  type AnthropicThinkingFields,
  anthropicSupportsFormat,
  anthropicThinking,
  anthropicThinkingBlock,
} from './claude.ts'
export { anthropicSchema } from './claude-schema.ts'
export { adaptCall, toResolvedEndpoint } from './endpoint.ts'
