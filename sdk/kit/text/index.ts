/** `svc/sdk/kit/text`: secrets are replaced in a text, however they are written, and recognized by their form; texts that must not be kept, and answers that say nothing, are found; sealed ones are opened; lines of IRC; marks of chats; chats as targets. */

export { chatMarksMarkup } from './chat-marks.ts'
export { escapeIrcTag, type IrcMessage, parseIrcLine, parseIrcNickname } from './irc-message.ts'
export { compileMask } from './mask.ts'
export { MessageSeal, type MessageSealOptions, readXmlFields, writeXmlFields } from './message-seal.ts'
export {
  isSecretSetting,
  isVariableReference,
  KEY_FORM,
  maskSecretComments,
  maskUrlPasswords,
} from './secret-shapes.ts'
export { isSilentAnswer } from './silent-answer.ts'
export { formatTarget } from './target.ts'
export { findThreat } from './threat.ts'
