/** Whether a skill may be installed, by whom it is from and by what the scan found. */
import type { SkillScan, SkillTrust } from 'svc/sdk/skills'

/** `forced`: only with `--force`. */
export type Decision = 'allow' | 'forced' | 'block'

export function decideInstall(trust: SkillTrust, verdict: SkillScan['verdict']): Decision {
  if (verdict === 'safe' || trust === 'builtin') return 'allow'
  if (verdict === 'dangerous') return 'block'
  return trust === 'trusted' ? 'allow' : 'forced'
}
