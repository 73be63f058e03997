/** What a command finds when it begins, and what it leaves. */
import type { Paths } from './paths.ts'
import type { Known } from './programs.ts'
import { NotUnderstood } from './syntax.ts'
import type { Argument, State } from './values.ts'

const MAX_STATES = 16

/** The states after success and after failure. */
export interface Outcome {
  readonly yes: readonly State[]
  readonly no: readonly State[]
}

/** One command with its options and operands, for the rule of its program. */
export interface Invocation {
  readonly known: Known
  /** As it was written: a name, or a path. */
  readonly program: string
  readonly args: readonly Argument[]
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
  readonly state: State
  /** What the command before it prints: a mark, or a text. */
  readonly input: string
  /** `PORT=4000` in front. */
  readonly assigned: ReadonlyMap<string, string>
}

/** What a walk asks of the world. */
export interface World {
  readonly paths: Paths
  /** Whether a file of the project may be run unread. */
  isTrusted(path: string): boolean
  wrote(path: string): void
  /** Whether a command of the text that is being read writes it: what it holds then is not known. */
  isPending(path: string): boolean
  /** It is put into git as it is. */
  added(path: string): void
}

export function same(...states: readonly State[]): Outcome {
  return { yes: states, no: states }
}

export function mergeStates(states: readonly State[]): readonly State[] {
  if (states.length < 2) return states
  const distinct = new Map(states.map((state) => [JSON.stringify([state.cwd, ...state.variables]), state]))
  if (distinct.size > MAX_STATES) throw new NotUnderstood('very many ways through the text')
  return [...distinct.values()]
}
