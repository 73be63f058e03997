/** What a text asks for: its parts, each looked up in the table of phrases. */
import type { Intent } from './intent.ts'
import { plainRequest, splitClauses, splitSteps, withoutEnd } from './phrases.ts'
import { RULES } from './rules.ts'

/** What is done at once: the calls of one answer. */
export type Step = readonly Intent[]

/** A longer text is not searched: users do not type one to a script. */
const MAX_LENGTH = 2000

/** The steps a text asks for, in order. An intent `unknown` stands for a part that was not understood. */
export function readSteps(text: string): readonly Step[] {
  const whole: readonly Step[] = [[{ kind: 'unknown', text }]]
  if (text.trim() === '' || text.length > MAX_LENGTH) return whole
  const split = splitSteps(text).map((step) =>
    splitClauses(step).flatMap((clause) => understand(clause) ?? [unknown(clause)]),
  )
  const isKnown = ({ kind }: Intent) => kind !== 'unknown'
  if (split.length > 0 && split.flat().every(isKnown)) return toThePoint(split)
  const intents = understand(text)
  if (intents !== undefined) return [intents]
  return split.flat().some(isKnown) ? split : whole
}

/** Without greetings and thanks, unless there is nothing else. */
function toThePoint(steps: readonly Step[]): readonly Step[] {
  const kept = steps.map((step) => step.filter(({ kind }) => kind !== 'greet' && kind !== 'thank'))
  return kept.flat().length > 0 ? kept : steps.slice(0, 1)
}

function understand(text: string): readonly Intent[] | undefined {
  const asTyped = withoutEnd(text.trim())
  for (const request of new Set([asTyped, plainRequest(text)])) {
    for (const { pattern, make } of RULES) {
      const match = pattern.exec(request)
      const intents = match === null ? undefined : make(match.groups ?? {})
      if (intents !== undefined) return intents
    }
  }
  return undefined
}

function unknown(text: string): Intent {
  return { kind: 'unknown', text: text.trim() }
}
