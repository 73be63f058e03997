/** `svc/sdk/kit/terminal`: safe text, and the common forms of what commands print. */
export {
  formatColumns,
  formatCount,
  formatMegabytes,
  formatMoment,
  hasFlag,
  paint,
  printJson,
  printParts,
  quotePath,
  type TextStyle,
} from './cli-output.ts'
export { printAddress } from './qr-code.ts'
export { readableOutput } from './readable-output.ts'
export { escapeUnseen, hasHiddenText, safeBlock, safeJson, safeLine, safeName, safePiece } from './safe-text.ts'
export { wrapText } from './wrap-text.ts'
