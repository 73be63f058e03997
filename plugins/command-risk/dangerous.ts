/** What a person is asked about: the table of patterns, and which of them a script fits. */
import { codePatterns } from './dangerous-code.ts'
import { filePatterns } from './dangerous-files.ts'
import { systemPatterns } from './dangerous-system.ts'
import { isQuestion } from './hard-line.ts'
import type { Script } from './normalise.ts'
import type { Pattern } from './pattern.ts'

const TANGLED: Pattern = {
  name: 'tangled',
  why: 'is too long or too deeply nested to be checked',
  matches: (_command, { tangled }) => tangled,
}

/** All patterns; names are unique. */
export const patterns: readonly Pattern[] = [...filePatterns, ...systemPatterns, ...codePatterns, TANGLED]

/** The patterns that a script fits, each once, in the order of the table. */
export function dangers(script: Script): readonly Pattern[] {
  if (script.tangled && !script.commands.length) return [TANGLED]
  const commands = script.commands.filter((command) => !isQuestion(command))
  return patterns.filter(({ matches }) => commands.some((command) => matches(command, script)))
}
