/** Text of bytes whose encoding is said in one of several places, or not at all; and text cut to a length. */

/** Decodes by byte order mark, HTTP header, the page's own word, UTF-8 if it is, and Windows-1252. Line ends become `\n`. */
export function decode(
  bytes: Uint8Array,
  { contentType, isCut }: { readonly contentType: string; readonly isCut: boolean },
): string {
  const said = byMark(bytes) ?? /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? byPage(bytes)
  const text =
    (said && decodeAs(said, bytes, isCut)) ?? decodeAs('utf-8', bytes, isCut) ?? decodeAs('windows-1252', bytes, isCut)
  return (text ?? '').replace(/\r\n?/g, '\n')
}

function byMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function byPage(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  return /<meta\s[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)|^<\?xml[^>]{0,100}encoding\s*=\s*["']([\w.:-]+)/i
    .exec(head)
    ?.slice(1)
    .find((name) => name !== undefined)
}

/** Undefined if the bytes are not in that encoding, or it is unknown. A character that the cut split is left out. */
function decodeAs(label: string, bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    // What is not in that encoding is tried in the next one.
    return undefined
  }
}

/** At most so many UTF-16 units, with no half of a character at the end. */
export function cutAt(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}
