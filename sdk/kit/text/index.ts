/** `svc/sdk/kit/text`: secrets are replaced in a text, however they are written; texts that must not be kept are found; sealed ones are opened. */
export { compileMask } from './mask.ts'
export { MessageSeal, type MessageSealOptions, readXmlFields, writeXmlFields } from './message-seal.ts'
export { findThreat } from './threat.ts'
