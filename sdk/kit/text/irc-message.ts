/**
 * Lines of IRC: RFC 1459 section 2.3 and RFC 2812 section 2.3, with the tags of IRCv3
 * (ircv3.net/specs/extensions/message-tags).
 */

/** One line, taken apart. @since 0.2 */
export interface IrcMessage {
  readonly tags: ReadonlyMap<string, string>
  /** `nick!user@host`, or the name of a server; empty when the line has none. */
  readonly prefix: string
  /** In capitals, or three digits. */
  readonly command: string
  readonly params: readonly string[]
}

/** Undefined for a line that says nothing. @since 0.2 */
export function parseIrcLine(line: string): IrcMessage | undefined {
  const [, tags = '', prefix = '', command = '', rest = ''] =
    /^(?:@([^ ]*) +)?(?::([^ ]*) +)?([A-Za-z]+|\d{3})(?: +(.*))?$/s.exec(line.trimStart()) ?? []
  if (!command) return undefined
  return { tags: parseTags(tags), prefix, command: command.toUpperCase(), params: parseParams(rest) }
}

function parseParams(rest: string): string[] {
  const [middle = '', ...trailing] = ` ${rest}`.split(/ :(.*)/s)
  const params = middle.split(' ').filter((each) => each !== '')
  return trailing.length > 0 ? [...params, trailing[0] ?? ''] : params
}

const escapes: Readonly<Record<string, string>> = { ':': ';', s: ' ', r: '\r', n: '\n' }

function parseTags(text: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const tag of text.split(';').filter((each) => each !== '')) {
    const [key = '', value = ''] = tag.split(/=(.*)/s)
    tags.set(
      key,
      value.replace(/\\(.?)/gs, (_, letter: string) => escapes[letter] ?? letter),
    )
  }
  return tags
}

/** The raw value of an attribute, as it stands in a tag. @since 0.2 */
export function escapeIrcTag(value: string): string {
  const marks: Readonly<Record<string, string>> = { ';': '\\:', ' ': '\\s', '\\': '\\\\', '\r': '\\r', '\n': '\\n' }
  return value.replace(/[; \\\r\n]/g, (mark) => marks[mark] ?? '')
}

/** The nickname in a prefix. @since 0.2 */
export function parseIrcNickname(prefix: string): string {
  return prefix.split('!', 1)[0] ?? ''
}
