/** What one rule is. The tables beside this file hold them by subject. */

import type { SkillSeverity } from 'svc/sdk/skills'
import type { CueMode } from '../text/cues.ts'

export type { SkillSeverity }

/** Where a rule looks: in what is run, in what is read, or in both. */
export type RuleSubject = 'code' | 'prose' | 'both'

export interface ScanRule {
  readonly id: string
  readonly group: string
  readonly severity: SkillSeverity
  readonly subject: RuleSubject
  readonly pattern: RegExp
  /** A phrase that says what was found. */
  readonly message: string
  /** How a warning in the text is recognised (default `any`). */
  readonly cue?: CueMode
  /** Another severity for what was matched, or undefined when it is nothing. */
  readonly weigh?: (found: RegExpMatchArray, text: string) => SkillSeverity | undefined
}

type RuleDraft = Omit<ScanRule, 'group' | 'subject'> & { readonly subject?: RuleSubject }

/** The rules of a group, with what they share. */
export function defineRules(group: string, subject: RuleSubject, rules: readonly RuleDraft[]): readonly ScanRule[] {
  return rules.map((rule) => ({ subject, ...rule, group }))
}

/** A pattern over several lines, with spaces in the source for reading. */
export function pattern(source: string, flags = 'gi'): RegExp {
  return new RegExp(source.replace(/\s*\n\s*/g, ''), flags)
}
