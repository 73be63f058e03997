/** How Telegram reads the HTML of a message: https://core.telegram.org/bots/api#html-style. */

const TAGS = [
  'b',
  'strong',
  'i',
  'em',
  'u',
  'ins',
  's',
  'strike',
  'del',
  'code',
  'pre',
  'a',
  'blockquote',
  'tg-spoiler',
]
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** The words that people see, or why the service refuses the text. */
export function readHtml(text: string): { readonly visible: string } | { readonly error: string } {
  const open: string[] = []
  let visible = ''
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const [tag, slash = '', name = '', attributes = ''] =
      /^<(\/?)([a-z-]*)((?:\s+[a-z-]+="[^"<]*")*)\s*>/.exec(rest) ?? []
    if (tag === undefined && rest.startsWith('<'))
      return { error: `Unsupported start tag "${/^<\/?([^\s>]*)/.exec(rest)?.[1]}" at byte offset ${bytes(text, at)}` }
    if (tag === undefined) {
      const [whole = rest.slice(0, 1), entity = ''] = /^&([a-z]+|#\d+);/.exec(rest) ?? []
      visible += decodeEntity(entity) ?? whole
      at += whole.length
      continue
    }
    const problem = slash ? closing(open, name) : opening(open, name, attributes)
    if (problem) return { error: `${problem} at byte offset ${bytes(text, at)}` }
    at += tag.length
  }
  const [left] = open
  return left === undefined ? { visible } : { error: `Can't find end tag corresponding to start tag "${left}"` }
}

function opening(open: string[], name: string, attributes: string): string | undefined {
  if (!TAGS.includes(name)) return `Unsupported start tag "${name}"`
  // Of what stands within code only the words count, and a quotation holds no other.
  if (open.includes('pre') && name !== 'code') return `Entity "${name}" inside of "pre"`
  if (name === 'blockquote' && open.includes('blockquote')) return 'Nested blockquote'
  if (name === 'a' && !/^\s+href="[^"]+"$/.test(attributes)) return 'Link without an address'
  open.push(name)
  return undefined
}

function closing(open: string[], name: string): string | undefined {
  const last = open.pop()
  if (last === undefined) return `Unexpected end tag`
  return last === name ? undefined : `Unmatched end tag, expected "</${last}>", found "</${name}>"`
}

function decodeEntity(entity: string): string | undefined {
  return entity.startsWith('#') ? String.fromCodePoint(Number(entity.slice(1))) : ENTITIES[entity]
}

function bytes(text: string, at: number): number {
  return Buffer.byteLength(text.slice(0, at))
}
