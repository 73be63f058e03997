/**
 * Lines of IRC: RFC 1459 section 2.3 and RFC 2812 section 2.3, with the tags of IRCv3
 * (ircv3.net/specs/extensions/message-tags).
 */

/** One line, taken apart. */
export interface IrcMessage {
  readonly tags: ReadonlyMap<string, string>
  /** `nick!user@host`, or the name of a server; empty when the line has none. */
  readonly prefix: string
  /** In capitals, or three digits. */
  readonly command: string
  readonly params: readonly string[]
}

/** The line of these bytes as text: UTF-8, or Latin-1 if it is not valid UTF-8. */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
}

/** Undefined for a line that says nothing. */
export function parseLine(line: string): IrcMessage | undefined {
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

/** The raw value of an attribute. */
export function escapeTag(value: string): string {
  const marks: Readonly<Record<string, string>> = { ';': '\\:', ' ': '\\s', '\\': '\\\\', '\r': '\\r', '\n': '\\n' }
  return value.replace(/[; \\\r\n]/g, (mark) => marks[mark] ?? '')
}

/** The nickname in a prefix. */
export function parseNickname(prefix: string): string {
  return prefix.split('!', 1)[0] ?? ''
}

/** How the server compares names: `CASEMAPPING` of RPL_ISUPPORT (modern.ircdocs.horse/#casemapping-parameter). */
export function fold(name: string, mapping = 'rfc1459'): string {
  const lower = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (mapping === 'ascii') return lower
  const folded = lower.replaceAll('[', '{').replaceAll(']', '}').replaceAll('\\', '|')
  return mapping === 'rfc1459-strict' ? folded : folded.replaceAll('~', '^')
}

/** The users who are online, by RPL_USERHOST (302, modern.ircdocs.horse/#rpluserhost-302): `nick[*]=(+|-)user@host`. */
export function userhosts(said = ''): readonly { readonly nick: string; readonly address: string }[] {
  return said.split(' ').flatMap((each) => {
    const [, nick, address] = /^([^\s*=]+)\*?=[+-](\S+@\S+)$/.exec(each) ?? []
    return nick && address ? [{ nick, address }] : []
  })
}
