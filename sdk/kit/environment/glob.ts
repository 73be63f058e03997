/** Globs of file names, for programs that know them differently: `*`, `**`, `?`, `[abc]`, `{a,b}`. */

const MEANINGS: Readonly<Record<string, string>> = {
  ...{ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]', '[!': '[^', '[': '[', ']': ']' },
  ...{ '{': '(?:', '}': ')', ',': '|' },
}

/** As rg reads a glob with a slash: from the folder. Empty where there is none. */
export function toRipgrepGlob(glob: string | undefined): string {
  if (glob === undefined) return ''
  const plain = glob.replace(/^\.\//, '')
  return plain.includes('/') && !plain.startsWith('/') && !plain.startsWith('**/') ? `/${plain}` : plain
}

/** Conditions of find that hold for all that the glob is for, and perhaps for more. */
export function findConditions(glob: string | undefined): string[] {
  if (glob === undefined || /[{}!\\]/.test(glob)) return []
  const name = glob.slice(glob.lastIndexOf('/') + 1)
  return name === '' || name === '**' ? [] : ['-name', name]
}

/** Whether a path fits a glob; without a slash it is for names at any depth. */
export function matchGlob(glob: string): (path: string) => boolean {
  const plain = glob.replace(/^\.?\//, '')
  const hasBraces = /\{[^{}]*\}/.test(plain)
  const source = plain.replace(/\*\*\/|\*\*|[*?\]]|\[!?|[{},.+^$()|\\]/g, (sign) =>
    /[{},]/.test(sign) && !hasBraces ? `\\${sign}` : (MEANINGS[sign] ?? `\\${sign}`),
  )
  try {
    const expression = new RegExp(`^${plain.includes('/') ? '' : '(?:.*/)?'}${source}$`)
    return (path) => expression.test(path)
  } catch {
    // A bracket that is not closed: a name.
    return (path) => path.split('/').includes(plain)
  }
}
