/** Skills of a profile that comes from elsewhere are looked at for harm before the profile gets its name. */
import { relative } from 'node:path'
import { SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { safeLine } from 'svc/sdk/kit/terminal'
import { type SkillScan, SkillScanner } from 'svc/sdk/skills'
import type { Context } from './profile-folders.ts'
import { findSkills } from './roster.ts'

export interface ScanOptions {
  /** What the scan doubts is taken over, too. What it calls dangerous never is. */
  readonly isForced: boolean
  /** They are not taken over. */
  readonly isWithoutSkills?: boolean
  readonly signal: AbortSignal
}

/** A skill in which something was found. */
interface DoubtfulSkill {
  /** Relative to the profile. */
  readonly path: string
  readonly scan: SkillScan
}

const MAX_FINDINGS = 5
const ADVICE = '--no-skills leaves the skills out.'

/** Resolves when all skills of the profile in `dir` may be used. Throws `PROFILE_SCAN`, also where no plugin scans skills. */
export async function judgeSkills(
  ctx: Context,
  dir: string,
  { isForced, isWithoutSkills, signal }: ScanOptions,
): Promise<void> {
  const folders = isWithoutSkills ? [] : findSkills(dir)
  if (folders.length === 0) return
  const scanner = await ctx.use(Plugins).bring(SkillScanner)
  if (!scanner) throw refuse(`It has ${folders.length} skills, and no plugin here looks at skills for harm. ${ADVICE}`)
  const doubtful: DoubtfulSkill[] = []
  for (const folder of folders) {
    const scan = await scanner.scan(folder, { signal })
    if (scan.verdict !== 'safe') doubtful.push({ path: relative(dir, folder), scan })
  }
  const isDangerous = doubtful.some(({ scan }) => scan.verdict === 'dangerous')
  if (doubtful.length === 0 || (isForced && !isDangerous)) return
  const shown = doubtful.map(formatSkill).join('')
  throw refuse(`The scan of its skills found:${shown}\n${isDangerous ? ADVICE : `--force takes them over, ${ADVICE}`}`)
}

function formatSkill({ path, scan: { verdict, findings } }: DoubtfulSkill): string {
  const lines = findings.slice(0, MAX_FINDINGS).map(({ severity, path: file, line, message }) => {
    return `\n  ${severity}: ${safeLine(file)}${line === undefined ? '' : `:${line}`} ${safeLine(message)}`
  })
  const rest = findings.length - lines.length
  return `\n${safeLine(path)}: ${verdict}${lines.join('')}${rest > 0 ? `\n  and ${rest} more` : ''}`
}

function refuse(why: string): SvcError {
  return new SvcError('PROFILE_SCAN', `The profile is not taken over. ${why}`, { status: 400 })
}
