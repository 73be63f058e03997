/** What a person reads of skills of a project before they agree. */
import { safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { SkillScan, SkillScanner } from 'svc/sdk/skills'
import type { ProjectSkill } from './project-skills.ts'

/** Characters of a SKILL.md that are shown; the question names the file. */
const MAX_SHOWN = 6000
const MAX_FINDINGS = 8
const MAX_FILES = 20

/** A skill that is asked about; without `scan` there is no scanner. */
export interface Scanned {
  readonly skill: ProjectSkill
  readonly scan: SkillScan | undefined
}

export async function scanAll(
  skills: readonly ProjectSkill[],
  scanner: SkillScanner | undefined,
  signal: AbortSignal,
): Promise<readonly Scanned[]> {
  const scanned: Scanned[] = []
  for (const skill of skills) scanned.push({ skill, scan: await scanner?.scan(skill.folder, { signal }) })
  return scanned
}

export function isDangerous({ scan }: Scanned): boolean {
  return scan?.verdict === 'dangerous'
}

/** The files, what the scan found, and the text of SKILL.md or what has changed in it. */
export async function describeSkill({ skill, scan }: Scanned): Promise<string> {
  const { folder, files, text, before } = skill
  const names = files.slice(0, MAX_FILES).map(({ path }) => path)
  const rest = files.length > names.length ? ` and ${files.length - names.length} more` : ''
  return [
    `${skill.skill.name}${before === undefined ? '' : ' (changed)'}: ${safeLine(folder)}`,
    `files: ${safeLine(names.join(', '))}${rest}`,
    `scan: ${formatScan(scan)}`,
    '',
    safeBlock(await formatText(text, before)),
  ].join('\n')
}

function formatScan(scan: SkillScan | undefined): string {
  if (!scan) return 'not done, because the plugin skill-scan is not running'
  if (scan.findings.length === 0) return 'nothing found'
  const shown = scan.findings.slice(0, MAX_FINDINGS)
  const lines = shown.map(({ severity, path, line, message }) => {
    return `\n  ${severity}: ${safeLine(path)}${line === undefined ? '' : `:${line}`} ${safeLine(message)}`
  })
  const rest = scan.findings.length - shown.length
  return `${scan.verdict}${lines.join('')}${rest > 0 ? `\n  and ${rest} more` : ''}`
}

async function formatText(text: string, before: string | undefined): Promise<string> {
  if (before !== undefined && before !== text) {
    const { createTwoFilesPatch } = await import('diff')
    return shorten(createTwoFilesPatch('SKILL.md', 'SKILL.md', before, text, 'agreed to', 'now').trimEnd())
  }
  return before === undefined ? shorten(text.trimEnd()) : 'SKILL.md is as it was; other files have changed.'
}

function shorten(text: string): string {
  const rest = text.length - MAX_SHOWN
  return rest > 0 ? `${text.slice(0, MAX_SHOWN)}\n[${rest} more characters in the file]` : text
}
