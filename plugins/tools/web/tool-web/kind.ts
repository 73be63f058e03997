/** What a body is: by its bytes first, because servers often say something else. */

/** `what` names something that is not text, with its article. */
export type Kind = { readonly name: 'html' | 'text' } | { readonly name: 'binary'; readonly what: string }

/** First bytes of formats that are not text, as in the WHATWG MIME Sniffing standard. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\s*%PDF-/, 'a PDF document'],
  [/^\x89PNG\r\n/, 'a PNG image'],
  [/^\xff\xd8\xff/, 'a JPEG image'],
  [/^GIF8[79]a/, 'a GIF image'],
  [/^RIFF.{4}WEBP/s, 'a WebP image'],
  [/^BM.{4}\0\0\0\0/s, 'a BMP image'],
  [/^.{4}ftyp/s, 'a video'],
  [/^\x1aE\xdf\xa3/, 'a video'],
  [/^(ID3|OggS|fLaC|RIFF.{4}WAVE)/s, 'a sound'],
  [/^PK\x03\x04/, 'a ZIP archive or an office document'],
  [/^\x1f\x8b/, 'a gzip archive'],
  [/^\xd0\xcf\x11\xe0/, 'an office document'],
  [/^\x7fELF|^MZ/, 'a program'],
]

/** Types whose bytes may look like HTML and yet are to be shown as they are. */
const plainTypes = /^(text\/(plain|markdown|css|csv|javascript|x-)|application\/(json|javascript|[\w.+-]+\+json))/i

export function detectKind(bytes: Uint8Array, contentType: string): Kind {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  const known = signatures.find(([pattern]) => pattern.test(head))
  if (known) return { name: 'binary', what: known[1] }
  const isWide = /^(\xff\xfe|\xfe\xff)/.test(head) || /charset="?utf-16/i.test(contentType)
  if (!isWide && looksBinary(head)) return { name: 'binary', what: parseContentType(contentType) }
  if (plainTypes.test(contentType)) return { name: 'text' }
  const isDeclared = /^(text\/html|application\/xhtml\+xml)/i.test(contentType)
  const start = head.replace(/^(\xef\xbb\xbf)?\s*(<!--.*?-->\s*|<\?xml.*?\?>\s*)*/s, '')
  return { name: isDeclared || /^<(!doctype html|html|head|body|title)\b/i.test(start) ? 'html' : 'text' }
}

/** A NUL, or more control characters than a text has. */
function looksBinary(head: string): boolean {
  const odd = [...head].filter((char) => {
    const code = char.charCodeAt(0)
    return code < 32 && ![9, 10, 12, 13, 27].includes(code)
  }).length
  return head.includes('\0') || odd > head.length / 50
}

function parseContentType(contentType: string): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType)?.[0]
  return type === undefined || /^text\//.test(type) ? 'binary data' : `binary data (${type})`
}
