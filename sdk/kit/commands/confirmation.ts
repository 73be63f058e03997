/** Words behind a slash command that answer its question before it is asked. */

const WORDS = new Set(['now', '--yes', '-y'])

/** Whether a word is `now`, `--yes` or `-y`, in any case: the command asks nothing then. @since 0.2 */
export function isConfirmation(word: string): boolean {
  return WORDS.has(word.toLowerCase())
}

/** Whether there is such a word among the arguments, and the arguments without it. @since 0.2 */
export function takeConfirmation(args: string): { readonly isConfirmed: boolean; readonly rest: string } {
  const words = args.split(/\s+/).filter((word) => word !== '')
  const rest = words.filter((word) => !isConfirmation(word))
  const isConfirmed = rest.length < words.length
  return { isConfirmed, rest: isConfirmed ? rest.join(' ') : args.trim() }
}
