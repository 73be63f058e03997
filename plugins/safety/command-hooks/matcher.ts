/** Matchers of the public format: empty or `*` for everything, names separated by `|` or commas, otherwise a regular expression. */

const NAMES = /^[\w\-, |]+$/

/** The first of the names that a matcher selects; undefined when it selects none. A matcher that is not valid selects all. */
export function findMatch(matcher: string, names: readonly string[]): string | undefined {
  const wanted = matcher.trim()
  if (wanted === '' || wanted === '*') return names[0]
  if (NAMES.test(wanted)) {
    const listed = wanted.split(/[|,]/).map((name) => name.trim())
    return names.find((name) => listed.includes(name))
  }
  const pattern = compilePattern(wanted)
  return pattern ? names.find((name) => pattern.test(name)) : names[0]
}

/** Why a matcher cannot be used as it stands; undefined when it can. */
export function matcherProblem(matcher: string): string | undefined {
  const wanted = matcher.trim()
  if (wanted === '*' || NAMES.test(wanted) || compilePattern(wanted)) return undefined
  return wanted === ''
    ? undefined
    : `the matcher ${JSON.stringify(matcher)} is not a regular expression, so it matches everything`
}

function compilePattern(text: string): RegExp | undefined {
  try {
    return new RegExp(text)
  } catch {
    return undefined
  }
}
