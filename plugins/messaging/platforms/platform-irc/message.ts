/** What of IRC only this platform needs: encodings, how servers compare names, and who is online. */

/** The line of these bytes as text: UTF-8, or Latin-1 if it is not valid UTF-8. */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
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
