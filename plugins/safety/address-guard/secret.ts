/** Secrets in an address: what is sent there stays in the logs of others. */

import { KEY_FORM } from 'svc/sdk/kit/text'

/** Parameters that carry a secret by their name; signatures of clouds are as good as keys. */
const secretName =
  /^(x[-_])?(api[-_]?key|access[-_]?(key([-_]?id)?|token)|auth([-_]?token|orization)?|bearer|client[-_]?secret|credentials?|(id|oauth|refresh)[-_]?token|jwt|pass(word|wd|phrase)?|private[-_]?key|pwd|secret([-_]?key)?|session[-_]?(id|token)|sig|signature|token|(amz|goog)[-_](credential|security[-_]token|signature))$/i

/** Shorter values of `.env` are words that may stand in any address. */
const LEAST_CHARACTERS = 12

/** What makes an address carry a secret; undefined when nothing does. The secret itself is not repeated. */
export function findSecret(text: string, mask: (text: string) => string): string | undefined {
  const url = new URL(text)
  const hash = new URLSearchParams(url.hash.slice(1))
  for (const [name, value] of [...url.searchParams, ...hash])
    if (value !== '' && secretName.test(name)) return `its parameter "${name.slice(0, 40)}" looks like a secret`
  const spellings = [text, url.href, decodePercents(text)]
  if (spellings.some((spelling) => KEY_FORM.test(spelling))) return 'it holds what looks like a key'
  return spellings.some((spelling) => holdsKnown(spelling, mask)) ? 'it holds a secret of the user' : undefined
}

function holdsKnown(text: string, mask: (text: string) => string): boolean {
  const masked = mask(text)
  const [before, after] = [text.split('***').length, masked.split('***').length]
  const found = after - before
  return found > 0 && (text.length - masked.length) / found + 3 >= LEAST_CHARACTERS
}

function decodePercents(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
}
