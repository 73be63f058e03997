/** Finds the paths that match a few typed letters. */

/** Points for letters that stand together, and for those that begin a word. */
const TOGETHER = 3
const WORD_START = 2
const GAP_COST = 0.1
const WHOLE = 50
const IN_NAME = 100

/** Paths, and the same in lower case. */
export interface Paths {
  readonly paths: readonly string[]
  readonly lower: readonly string[]
}

/** The best `most` of those that hold the letters in this order, the best first; of none, the shortest. */
export function bestMatches(query: string, { paths, lower }: Paths, most: number): readonly string[] {
  const wanted = query.toLowerCase()
  const best: Match[] = []
  for (const [index, path] of paths.entries()) {
    const points = scoreMatch(wanted, lower[index] ?? '')
    const match = points === undefined ? undefined : { path, points }
    const worst = best.length < most ? undefined : best.at(-1)
    if (!match || (worst && !isBetter(match, worst))) continue
    const at = best.findIndex((other) => isBetter(match, other))
    best.splice(at < 0 ? best.length : at, 0, match)
    if (best.length > most) best.pop()
  }
  return best.map(({ path }) => path)
}

interface Match {
  readonly path: string
  readonly points: number
}

function isBetter(one: Match, two: Match): boolean {
  return one.points > two.points || (one.points === two.points && one.path < two.path)
}

/** The higher the better; undefined when letters are missing. Both in lower case. A folder ends with a slash. */
export function scoreMatch(wanted: string, path: string): number | undefined {
  const name = path.lastIndexOf('/', path.length - 2) + 1
  const inName = wanted.includes('/') ? undefined : pointsFrom(wanted, path, name)
  const points = inName === undefined ? pointsFrom(wanted, path, 0) : inName + IN_NAME
  return points === undefined ? undefined : points - path.length / 50
}

function pointsFrom(wanted: string, path: string, start: number): number | undefined {
  const whole = path.indexOf(wanted, start)
  if (whole >= 0)
    return WHOLE + wanted.length * TOGETHER + (whole === start ? 2 : 1) * (beginsWord(path, whole) ? 10 : 0)
  let [at, points] = [start, 0]
  for (const letter of wanted) {
    const found = path.indexOf(letter, at)
    if (found < 0) return undefined
    if (found === at && at > start) points += TOGETHER
    else if (beginsWord(path, found)) points += WORD_START
    points -= Math.min(found - at, 20) * GAP_COST
    at = found + letter.length
  }
  return points
}

function beginsWord(path: string, at: number): boolean {
  return at === 0 || '/-_. '.includes(path[at - 1] ?? '')
}
