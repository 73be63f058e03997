/** What a scan found, and what follows from it. */
import { SKILL_SEVERITIES, type SkillFinding, type SkillScan } from 'svc/sdk/skills'

export type Draft = SkillFinding

const ORDER = SKILL_SEVERITIES
const MAX_FINDINGS = 200

/** One of each kind in a file and line, the most severe first. */
export function sortFindings(drafts: readonly Draft[]): Draft[] {
  const kept = new Map<string, Draft>()
  for (const each of drafts) {
    const key = `${each.rule}\n${each.path}\n${each.line ?? 0}`
    const other = kept.get(key)
    if (!other || rank(each) > rank(other)) kept.set(key, each)
  }
  return [...kept.values()]
    .sort((one, two) => rank(two) - rank(one) || compare(one.path, two.path) || (one.line ?? 0) - (two.line ?? 0))
    .slice(0, MAX_FINDINGS)
}

function compare(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0
}

function rank({ severity }: Draft): number {
  return ORDER.indexOf(severity)
}

export function raise(severity: Draft['severity']): Draft['severity'] {
  return ORDER[Math.min(ORDER.indexOf(severity) + 1, ORDER.length - 1)] ?? severity
}

/** A critical finding makes a skill dangerous, one of high severity makes it questionable. */
export function toVerdict(findings: readonly Draft[]): SkillScan['verdict'] {
  const worst = findings.reduce((most, each) => Math.max(most, rank(each)), -1)
  return worst >= 3 ? 'dangerous' : worst === 2 ? 'caution' : 'safe'
}
