/** References to characters: https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references */

/** Those that models write; others stay as they are. */
const named: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” ' +
    'laquo « raquo » bull • middot · deg ° plusmn ± times × divide ÷ ne ≠ le ≤ ge ≥ asymp ≈ larr ← uarr ↑ rarr → ' +
    'darr ↓ harr ↔ check ✓ euro € pound £ yen ¥ cent ¢ sect § para ¶ micro µ infin ∞ alpha α beta β pi π sum ∑'
  )
    .split(' ')
    .reduce<[string, string][]>(
      (pairs, word, at, words) => {
        if (at % 2 === 0) pairs.push([word, words[at + 1] ?? ''])
        return pairs
      },
      [['nbsp', '\u00a0']],
    ),
)
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,15}));/g

export function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
    return toCharacter(hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16))
  })
}

/** Invalid and control characters become the replacement character. */
function toCharacter(code: number): string {
  const isText = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && code !== 0x7f
  return isText || code === 9 || code === 10 ? String.fromCodePoint(code) : '\ufffd'
}
