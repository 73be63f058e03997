/** One kind of command that a person is asked about. */
import type { RiskHarm } from 'svc/sdk/shell'
import type { Script } from './normalise.ts'
import { listOperands, option } from './options.ts'
import type { Command } from './walk.ts'

export interface Pattern {
  /** Grants for a session are kept by this name: it never changes. */
  readonly name: string
  /** Follows "It": "deletes folders and everything in them". */
  readonly why: string
  readonly harm: RiskHarm
  readonly matches: Matcher
}

export type Matcher = (command: Command, script: Script) => boolean

/** Patterns by their names. */
export type Matchers = Readonly<Record<string, Matcher>>

/**
 * Whether a command says one of these: `docker|podman rm|rmi`, `service * stop`, `git worktree remove -f|--force`. The
 * words are the program and its first words, `*` is any; an option must be there, and with `!` it must not.
 */
export function says(command: Command, ...lines: readonly string[]): boolean {
  return lines.some((line) => {
    const [program = '', ...specs] = line.split(' ')
    return isOneOf(program, command.name) && fits(command, specs)
  })
}

function fits(command: Command, specs: readonly string[]): boolean {
  const words = listOperands(command)
  let at = 0
  return specs.every((spec) => {
    if (spec.startsWith('!')) return !isGiven(command, spec.slice(1))
    return spec.startsWith('-') ? isGiven(command, spec) : isOneOf(spec, words[at++] ?? '')
  })
}

function isOneOf(spec: string, word: string): boolean {
  return spec === '*' ? word !== '' : spec.split('|').includes(word)
}

/** `-f|--force`: one letter may be in a bundle. */
function isGiven({ args }: Command, spec: string): boolean {
  if (spec.includes('=')) return args.includes(spec)
  const all = spec.split('|')
  const letters = all.flatMap((each) => (each.length === 2 ? [each.slice(1)] : []))
  return option(
    args,
    letters.join(''),
    all.filter((each) => each.length > 2),
  )
}
