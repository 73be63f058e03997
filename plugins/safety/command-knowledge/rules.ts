/** What the tables cannot say of a program: one rule for each kind of thing that takes looking. */

import type { Invocation, Outcome } from './outcome.ts'
import { BUILD_RULES } from './rules-build.ts'
import { FILE_RULES } from './rules-files.ts'
import { GIT_RULES } from './rules-git.ts'
import { NETWORK_RULES } from './rules-network.ts'
import { SHELL_RULES } from './rules-shell.ts'
import type { Walk } from './walk.ts'

export interface Rule {
  /** It parses the arguments itself. */
  readonly own?: boolean
  /** Judges; an outcome ends the judgement, undefined continues with the verb. */
  readonly run: (walk: Walk, call: Invocation) => Outcome | undefined
}

export const RULES: Readonly<Record<string, Rule>> = Object.assign(
  Object.create(null),
  SHELL_RULES,
  FILE_RULES,
  GIT_RULES,
  BUILD_RULES,
  NETWORK_RULES,
)
