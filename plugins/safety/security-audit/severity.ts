/** How severe an advisory is. */
import type { AuditSeverity } from 'svc/sdk/safety'
import type { Advisory } from './osv.ts'

/** Words of the GitHub Advisory Database, in `database_specific.severity`. */
const WORDS: Readonly<Record<string, AuditSeverity>> = {
  LOW: 'low',
  MODERATE: 'moderate',
  MEDIUM: 'moderate',
  HIGH: 'high',
  CRITICAL: 'critical',
}

/**
 * A malicious package (`MAL-…`, https://github.com/ossf/malicious-packages) is critical. Otherwise what the database says,
 * or else the highest score of its CVSS vectors.
 */
export async function rateSeverity(advisory: Advisory): Promise<AuditSeverity> {
  if (advisory.id.startsWith('MAL-')) return 'critical'
  const stated = WORDS[advisory.database_specific?.severity?.toUpperCase() ?? '']
  if (stated) return stated
  const vectors = [...advisory.severity, ...advisory.affected.flatMap(({ severity }) => severity)]
  const scores = await Promise.all(vectors.map(({ score }) => scoreVector(score)))
  return describeScore(Math.max(-1, ...scores))
}

/** The base score of a vector of CVSS 2, 3.x or 4, or a plain number; -1 for anything else. */
async function scoreVector(text: string): Promise<number> {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const { fromVector } = (await import('ae-cvss-calculator')).default
  try {
    return fromVector(text)?.calculateScores().overall ?? -1
  } catch {
    return -1
  }
}

/** The bands of https://www.first.org/cvss/v3.1/specification-document#Qualitative-Severity-Rating-Scale */
function describeScore(score: number): AuditSeverity {
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  if (score >= 4) return 'moderate'
  return score > 0 ? 'low' : 'unknown'
}
