/** The archive of the account or of a room (XEP-0313), as a server keeps it. */
import { xml } from '@xmpp/client'
import { ARCHIVE, DELAY, FORWARD, PAGES } from '../namespaces.ts'
import type { Stanza } from '../session.ts'

interface Kept {
  readonly id: string
  readonly person: string
  readonly at: string
  readonly message: Stanza
}

export class KeptMessages {
  readonly #kept: Kept[] = []

  add(id: string, person: string, message: Stanza): void {
    this.#kept.push({ id, person, at: new Date().toISOString(), message })
  }

  /** The stanzas of an answer without their addresses; undefined if the query names a message that is not there. */
  answer(query: Stanza): { readonly results: readonly Stanza[]; readonly fin: Stanza } | undefined {
    const fields = query.getChild('x')?.getChildren('field') ?? []
    const value = (name: string) =>
      fields.find(({ attrs }) => attrs['var'] === name)?.getChildText('value') ?? undefined
    const set = query.getChild('set', PAGES)
    const [max, after] = [Number(set?.getChildText('max') ?? 50), set?.getChildText('after') ?? undefined]
    const [person, start] = [value('with'), value('start')]
    const matching = this.#kept.filter(
      (each) => (person === undefined || each.person === person) && (start === undefined || each.at >= start),
    )
    const from = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0) return undefined
    const rest = matching.slice(from)
    const page = set?.getChild('before') ? rest.slice(-max) : rest.slice(0, max)
    const results = page.map(({ id, at, message }) =>
      xml(
        'result',
        { xmlns: ARCHIVE, queryid: query.attrs['queryid'], id },
        xml('forwarded', { xmlns: FORWARD }, xml('delay', { xmlns: DELAY, stamp: at }), copyStanza(message)),
      ),
    )
    const isComplete = page.length === rest.length
    return { results, fin: xml('fin', { xmlns: ARCHIVE, ...(isComplete && { complete: 'true' }) }) }
  }
}

/** With attributes of its own, and more children. */
export function copyStanza(
  { name, attrs, children }: Stanza,
  attributes: Readonly<Record<string, string>> = {},
  ...more: readonly Stanza[]
): Stanza {
  return xml(name, { ...attrs, ...attributes }, ...children, ...more)
}
