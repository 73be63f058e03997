/** Characters that a reader does not see or takes for others: found, and replaced by what they stand for. */

/** What was found in a text, before it was made plain. Lines count from 1. */
export interface HiddenText {
  readonly rule:
    | 'unicode-tags'
    | 'unicode-selectors'
    | 'bidi-override'
    | 'bidi-isolate'
    | 'zero-width-letters'
    | 'zero-width-run'
    | 'lookalike-letters'
    | 'styled-letters'
    | 'terminal-escape'
  readonly line: number
  readonly excerpt: string
  /** What the characters say, where they encode a text. */
  readonly says?: string
}

const ZERO_WIDTH =
  '\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0'
const BIDI = '\u202A-\u202E\u2066-\u2069'
const INVISIBLE = new RegExp(`[${ZERO_WIDTH}${BIDI}\uFE00-\uFE0F\u{E0000}-\u{E01EF}]`, 'gu')
const ESCAPES = /\u001B(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|.)|[^\P{Cc}\n\t]/gu
const RTL = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/
/** A flag is a black flag, tag letters and an end; nothing else has a use for tags. */
const FLAG = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{2,6}\u{E007F}/gu

/** Letters of other scripts that look like ASCII ones. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries([
  ...pairs('аеорсухіјѕԁһӏѵԛԝкмтнвгп', 'aeopcyxijsdhlvqwkmthbrn'),
  ...pairs('АВЕКМНОРСТХУІЈЅԌԚԜ', 'ABEKMHOPCTXYIJSGQW'),
  ...pairs('ονρτικυαε', 'ovptikuae'),
  ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'),
  ...pairs('ոսօցհք', 'nuoghp'),
  ...pairs('ɑɡıȷ', 'agij'),
])

function pairs(from: string, to: string): [string, string][] {
  const letters = [...to]
  return [...from].map((letter, at) => [letter, letters[at] ?? letter])
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const STYLED =
  /[\u{1D400}-\u{1D7FF}\uFF21-\uFF3A\uFF41-\uFF5A\u24B6-\u24E9\u{1F130}-\u{1F189}](?:\s?[\u{1D400}-\u{1D7FF}\uFF21-\uFF3A\uFF41-\uFF5A\u24B6-\u24E9\u{1F130}-\u{1F189}]){3,}/gu

/** The text as a reader sees it, in plain letters; lines stay where they are. */
export function toPlainText(text: string): string {
  const visible = text.replaceAll('\r\n', '\n').replace(INVISIBLE, '').replace(ESCAPES, '').normalize('NFKC')
  return visible.replace(WORD, (word) => (/[A-Za-z]/.test(word) ? plainWord(word) : word))
}

function plainWord(word: string): string {
  let plain = ''
  for (const letter of word) plain += LOOKALIKES[letter] ?? letter
  // A word with letters that have no double is a word of its language.
  return /^[\p{ASCII}]+$/u.test(plain) ? plain : word
}

export function findHiddenText(text: string): HiddenText[] {
  return [...findTags(text), ...findSelectors(text), ...findBidi(text), ...findZeroWidth(text), ...findLookalikes(text)]
}

function findTags(text: string): HiddenText[] {
  const rest = text.replace(FLAG, '')
  return matches(rest, /[\u{E0000}-\u{E007F}]+/gu).map(({ line, found }) => ({
    rule: 'unicode-tags',
    line,
    excerpt: `${[...found].length} tag characters`,
    says: [...found].map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  }))
}

function findSelectors(text: string): HiddenText[] {
  return matches(text, /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{3,}/gu).map(({ line, found }) => ({
    rule: 'unicode-selectors',
    line,
    excerpt: `${[...found].length} variation selectors in a row`,
    says: Buffer.from([...found].map(toSelectorByte)).toString('utf8'),
  }))
}

function toSelectorByte(selector: string): number {
  const code = selector.codePointAt(0) ?? 0
  return code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00
}

function findBidi(text: string): HiddenText[] {
  return text.split('\n').flatMap((content, at): HiddenText[] => {
    if (/[\u202D\u202E]/.test(content)) return [hidden('bidi-override', at, content)]
    if (/[\u202A\u202B\u2066-\u2068]/.test(content) && !RTL.test(content)) return [hidden('bidi-isolate', at, content)]
    return []
  })
}

function findZeroWidth(text: string): HiddenText[] {
  const between = matches(text, /[A-Za-z]+(?:[\u200B-\u200D\u2060-\u2064\uFEFF\u3164\u115F\u1160\u180E]+[A-Za-z]+)+/gu)
  const runs = matches(text, /[\u200B-\u200F\u2060-\u2064\uFEFF\u3164\u115F\u1160\u180E]{6,}/gu)
  const escapes = matches(text, /\u001B(?:\[[0-9;?]*[A-Za-z]|\])|[\u0008\u009B]{1,}/gu)
  return [
    ...between.map(({ line, found }) => hidden('zero-width-letters', line - 1, found)),
    ...runs.map(({ line, found }): HiddenText => {
      return {
        rule: 'zero-width-run',
        line,
        excerpt: `${found.length} invisible characters in a row`,
        says: bits(found),
      }
    }),
    ...escapes.map(({ line }) => hidden('terminal-escape', line - 1, 'a control sequence of terminals')),
  ]
}

/** The two commonest characters of a run as the bits of a text. */
function bits(run: string): string {
  const kinds = [...new Set(run)]
  const texts = [0, 1].map((one) => {
    const digits = [...run].map((letter) => (letter === kinds[one] ? '1' : '0')).join('')
    const bytes = digits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []
    return Buffer.from(bytes).toString('latin1')
  })
  return texts.find((each) => /^[\x20-\x7E\n]{3,}$/.test(each)) ?? ''
}

function findLookalikes(text: string): HiddenText[] {
  const words = matches(text, WORD).filter(({ found }) => isDisguised(found))
  const styled = matches(text, STYLED)
  return [
    ...words.map(({ line, found }) => hidden('lookalike-letters', line - 1, `${found} reads as ${plainWord(found)}`)),
    ...styled.map(({ line, found }) => hidden('styled-letters', line - 1, found)),
  ]
}

/** `JSONа`, an abbreviation with an ending, is ordinary in Russian; `сurl` and `evаl` are not in any language. */
function isDisguised(word: string): boolean {
  if (!/[A-Za-z]{2}/.test(word.replace(/[^A-Za-z]/g, '')) || /^\p{ASCII}+$/u.test(word)) return false
  if (!/[\u0370-\u052F\u0530-\u058F]/.test(word)) return false
  const plain = plainWord(word)
  return plain !== word && /[\u0370-\u058F][A-Za-z]/.test(word) && plain.length > 2
}

function hidden(rule: HiddenText['rule'], at: number, content: string): HiddenText {
  return { rule, line: at + 1, excerpt: toPlainText(content).trim().slice(0, 120) }
}

function matches(text: string, pattern: RegExp): { readonly line: number; readonly found: string }[] {
  let line = 1
  let from = 0
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => {
    for (let at = text.indexOf('\n', from); at >= 0 && at < index; at = text.indexOf('\n', from)) {
      line += 1
      from = at + 1
    }
    return { line, found }
  })
}
