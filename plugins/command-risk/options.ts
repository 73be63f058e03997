/** Options and operands of a command. */

/** One of these short letters, alone or in a bundle, or one of the long options, shortened or with a value. */
export function option(args: readonly string[], letters: string, long: readonly string[]): boolean {
  return args.some((word) => {
    if (/^-[A-Za-z0-9]+$/.test(word) && [...letters].some((letter) => word.includes(letter, 1))) return true
    const name = (word.split('=', 1)[0] ?? '').toLowerCase()
    if (name.length < 2 || !/^[-/]/.test(name)) return false
    return long.some((each) => each === name || (name.length > 4 && each.startsWith(name)))
  })
}

/** This very word. */
export function has(args: readonly string[], word: string): boolean {
  return args.includes(word)
}

/** What is not an option. */
export function operands(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  const open = (end < 0 ? args : args.slice(0, end)).filter((word) => !word.startsWith('-') || word === '-')
  return end < 0 ? open : [...open, ...args.slice(end + 1)]
}

/** The value after an option. */
export function after(args: readonly string[], wanted: RegExp): string | undefined {
  const at = args.findIndex((word) => wanted.test(word))
  return at < 0 ? undefined : args[at + 1]
}
