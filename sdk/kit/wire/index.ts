/** `svc/sdk/kit/wire`: our data in the forms of public protocols. */
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
