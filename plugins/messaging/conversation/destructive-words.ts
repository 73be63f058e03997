/** Slash commands that throw something away: the words that spare the question. */

const SKIP = new Set(['now', '--yes', '-y'])

/** Whether the text contains `now`, `--yes` or `-y`, in any case, and the text without them. */
export function skipWords(args: string): { readonly skip: boolean; readonly rest: string } {
  const words = args.split(/\s+/).filter((word) => word !== '')
  const rest = words.filter((word) => !SKIP.has(word.toLowerCase()))
  return rest.length === words.length ? { skip: false, rest: args.trim() } : { skip: true, rest: rest.join(' ') }
}
