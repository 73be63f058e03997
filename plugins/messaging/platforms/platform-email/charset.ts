/** Bytes whose character set is not declared, or is another than declared: old programs on Windows write so. */

/** What windows-1252 has where ISO 8859-1 has controls, which no mail means (encoding.spec.whatwg.org/#windows-1252). */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
const TEXT_TYPE = /^content-type:[ \t]*text\/(?:plain|html)\b[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gim
const UNKNOWN = '\uFFFD'

/** The characters that were meant. */
export function asWindows(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (control) => WINDOWS[control.charCodeAt(0) - 0x80] ?? control)
}

/** Whether something could not be read as UTF-8. */
export function isUnread(text: string | undefined): boolean {
  return text?.includes(UNKNOWN) === true
}

/** The mail with windows-1252 declared wherever nothing is, also in its head. */
export function declareWindowsCharset(source: Uint8Array): Uint8Array {
  const all = Buffer.from(source).toString('latin1')
  const end = /\r?\n\r?\n/.exec(all)?.index ?? all.length
  const head = isUnread(Buffer.from(all.slice(0, end), 'latin1').toString())
    ? asUtf8(all.slice(0, end))
    : all.slice(0, end)
  const declared = /^content-type:/im.test(head) ? head : `Content-Type: text/plain\r\n${head}`
  const whole = `${declared}${all.slice(end)}`.replace(TEXT_TYPE, (field) => {
    return /charset/i.test(field) ? field : `${field}; charset=windows-1252`
  })
  return Buffer.from(whole, 'latin1')
}

/** Bytes of UTF-8, a character each. */
function asUtf8(bytes: string): string {
  return Buffer.from(asWindows(bytes)).toString('latin1')
}
