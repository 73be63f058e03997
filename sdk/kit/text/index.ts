/** `svc/sdk/kit/text`: secrets are replaced in a text, however they are written. */
export { compileMask } from './mask.ts'
