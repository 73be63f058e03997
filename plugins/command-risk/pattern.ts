/** One kind of command that a person is asked about. */
import type { Command, Script } from './normalise.ts'

export interface Pattern {
  /** Grants for a session are kept by this name: it never changes. */
  readonly name: string
  /** Follows "It": "deletes folders with all that is in them". */
  readonly why: string
  readonly matches: (command: Command, script: Script) => boolean
}

/** A program with one of these words anywhere after it. */
export function subcommand({ name, args }: Command, program: RegExp, verb: RegExp): boolean {
  return program.test(name) && args.some((word) => verb.test(word))
}

/** A program whose first words, options left out, begin with these. */
export function verbs({ name, args }: Command, program: string, ...expected: readonly RegExp[]): boolean {
  if (name !== program) return false
  const words = args.filter((word) => !word.startsWith('-'))
  return expected.every((verb, at) => verb.test(words[at] ?? ''))
}
