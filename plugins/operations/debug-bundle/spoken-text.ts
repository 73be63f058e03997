/**
 * Finds in texts, such as lines of a log, what was said in conversations: an error of a service may repeat the question that it was
 * asked. Compared by letters and digits alone, so that quotes, escapes and line breaks hide nothing. Pure.
 */

/** Letters and digits that a passage has in common with a conversation before it counts. */
const WINDOW = 20
/** A line of a conversation that is shorter is looked for as a whole. */
const MIN_LINE = 8
/** In scripts without cases a word takes fewer characters. */
const MIN_DENSE_LINE = 4
const HIDDEN = '[text of a conversation]'
const PLAIN = /[\p{L}\p{N}]/u
/** Scripts that write words without spaces: each character may begin one. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u

interface Folded {
  readonly letters: string
  /** For each letter, where it is in the text, and where it ends there. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Indices of letters that begin a word, and behind those that end one. */
  readonly begins: readonly number[]
  readonly stops: ReadonlySet<number>
}

type Range = [start: number, end: number]

interface Place {
  readonly text: number
  readonly at: number
}

/** The texts in their order, each without the passages that are in `spoken`. */
export function hideSpoken(texts: readonly string[], spoken: Iterable<string>): string[] {
  const folded = texts.map(fold)
  const places = indexPlaces(folded)
  const found: Range[][] = texts.map(() => [])
  const seen = new Set<string>()
  for (const line of listLines(spoken)) {
    const said = fold(line)
    if (seen.has(said.letters)) continue
    seen.add(said.letters)
    for (const { text, range } of findPassages(said, folded, places)) found[text]?.push(range)
  }
  return texts.map((text, index) => replaceRanges(text, found[index] ?? []))
}

function* listLines(spoken: Iterable<string>): Generator<string> {
  for (const said of spoken) yield* said.split(/[\r\n]+/)
}

/** Where the texts repeat a line, each passage from its first to its last common letter. */
function* findPassages(
  { letters, begins }: Folded,
  texts: readonly Folded[],
  places: ReadonlyMap<string, readonly Place[]>,
): Generator<{ readonly text: number; readonly range: Range }> {
  const starts = letters.length < WINDOW ? [0] : begins.filter((at) => at + WINDOW <= letters.length)
  for (const start of starts)
    for (const { text, at } of places.get(letters.slice(start, start + WINDOW)) ?? []) {
      const other = texts[text]
      if (!other) continue
      const [first, last] = extend(letters, start, other.letters, at)
      yield { text, range: [other.starts[first] ?? 0, other.ends[last - 1] ?? 0] }
    }
}

/** All passages that could be found: of one window from each word on, and shorter ones of whole words. */
function indexPlaces(texts: readonly Folded[]): ReadonlyMap<string, Place[]> {
  const places = new Map<string, Place[]>()
  const add = (key: string, place: Place) => {
    const known = places.get(key)
    if (known) known.push(place)
    else places.set(key, [place])
  }
  for (const [text, folded] of texts.entries())
    for (const at of folded.begins) for (const key of listKeys(folded, at)) add(key, { text, at })
  return places
}

/** The passages that begin at a word. */
function listKeys({ letters, stops }: Folded, at: number): string[] {
  const keys = at + WINDOW <= letters.length ? [letters.slice(at, at + WINDOW)] : []
  for (let end = at + MIN_DENSE_LINE; end < at + WINDOW && end <= letters.length; end++) {
    const key = letters.slice(at, end)
    if (stops.has(end) && (key.length >= MIN_LINE || DENSE.test(key))) keys.push(key)
  }
  return keys
}

/** The first and the last letter, the last excluded, of the passage around two places that agree. */
function extend(said: string, start: number, text: string, at: number): readonly [number, number] {
  let before = 0
  while (before < start && before < at && said[start - before - 1] === text[at - before - 1]) before++
  let after = 0
  while (start + after < said.length && at + after < text.length && said[start + after] === text[at + after]) after++
  return [at - before, at + after]
}

function fold(text: string): Folded {
  const starts: number[] = []
  const ends: number[] = []
  const begins: number[] = []
  const stops = new Set<number>()
  let letters = ''
  let isInside = false
  for (let at = 0; at < text.length; ) {
    const { char, next, isPlain, isDense } = readCharacter(text, at)
    if (isPlain && (!isInside || isDense)) begins.push(letters.length)
    for (let unit = 0; unit < char.length; unit++) {
      starts.push(at)
      ends.push(next)
    }
    letters += char
    if (!isPlain || isDense) stops.add(letters.length)
    isInside = isPlain
    at = next
  }
  stops.add(letters.length)
  return { letters, starts, ends, begins, stops }
}

/** A letter or a digit without its case, or nothing; an escape, such as that of a line break, is between two words. */
function readCharacter(text: string, at: number) {
  const isEscape = text[at] === '\\' && /[nrtbf"'\\/]/.test(text[at + 1] ?? '')
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const isPlain = !isEscape && PLAIN.test(char)
  const next = at + (isEscape ? 2 : char.length)
  return { char: isPlain ? char.toLowerCase() : '', next, isPlain, isDense: isPlain && DENSE.test(char) }
}

function replaceRanges(text: string, ranges: Range[]): string {
  let [from, shown] = [0, '']
  for (const [start, end] of ranges.sort(([one], [two]) => one - two)) {
    if (end <= from) continue
    if (start > from || from === 0) shown += text.slice(from, Math.max(start, from)) + HIDDEN
    from = end
  }
  return shown + text.slice(from)
}
