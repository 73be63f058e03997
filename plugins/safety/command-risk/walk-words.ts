/** Small questions about the words of a command. */
import { isFed } from './nested.ts'
import type { Inner } from './runners.ts'
import type { Node } from './shell-nodes.ts'
import type { Command } from './walk.ts'

const MAX_ITEMS = 64

/** Characters that reading it takes. */
export function measureInner({ words, text }: Inner): number {
  return text?.length ?? words?.reduce((sum, word) => sum + word.length + 16, 0) ?? 0
}

/** The target of `cd`. */
export function destination(args: readonly string[]): string {
  return args.find((word) => !/^-[LPe@]*$/.test(word) && word !== '--') ?? '~'
}

/** With `-I{}` the words take the place of the sign, else they come last. */
export function withInput(given: readonly string[], input: string, wrappers: Command['wrappers']): readonly string[] {
  if (!isFed(wrappers)) return given
  const isPlaced = wrappers.flat().some((word) => word.startsWith('-I')) && given.some((word) => word.includes('{}'))
  if (!isPlaced) return [...given, ...input.trim().split(/\s+/)]
  const items = input.trim().split('\n').slice(0, MAX_ITEMS)
  return given.flatMap((word) => (word.includes('{}') ? items.map((item) => word.replaceAll('{}', item)) : [word]))
}

/** `"$@"`, `$*`, `$1` in the place of the command. */
export function isArguments({ words: [first] }: Node): boolean {
  const [part, ...more] = (first ?? []).filter((each) => each.kind !== 'text' || each.text !== '')
  return part?.kind === 'variable' && !more.length && /^[@*1-9]$/.test(part.name) && part.rest === ''
}

/** `f(){ f|f& }` and `f(){ f & f; }`. */
export function callsItself(body: string, earlier: readonly string[], now: readonly string[], node: Node): boolean {
  if (now[0] !== body.toLowerCase() || earlier[0] !== now[0]) return false
  return node.piped || node.background || earlier[1] === '&'
}
