/** `svc/sdk/kit/stand-in`: what a stand-in for a chat service is made of: a server on loopback, forms, faults, reactions. */
import type { StandInMember } from '../../stand-ins.ts'

export { wordsOfChatMarks } from './chat-marks-words.ts'
export {
  ChatService,
  type ChatServiceAbout,
  type FaultAnswers,
  openChatService,
  type ServedChatService,
  serveChatService,
  type TakenMessage,
} from './chat-service.ts'
export { CALL_FAULTS, demandFault, LINE_FAULTS, SEND_FAULTS, SendFaults } from './faults.ts'
export { type MarkdownDialect, wordsOfMarkdown } from './markdown-words.ts'
export { type StandInNotice, type StandInReaction, StandInReactions } from './reactions.ts'
export { type ServiceAnswer, type ServiceRequest, StandInServer } from './server.ts'
export { parseForm, type UploadedFile } from './upload-form.ts'
export { type WebhookCall, WebhookCaller, type WebhookCallerOptions } from './webhook-caller.ts'

/** How a member says something. @since 0.2 */
export type SayOptions = NonNullable<Parameters<StandInMember['say']>[1]>
