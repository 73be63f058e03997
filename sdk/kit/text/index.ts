/** `svc/sdk/kit/text`: secrets are replaced in a text, however they are written; texts that must not be kept are found. */
export { compileMask } from './mask.ts'
export { findThreat } from './threat.ts'
