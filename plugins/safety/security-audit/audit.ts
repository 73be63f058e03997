/** Looks everything up that the sources list. */
import { errorMessage } from 'svc/sdk'
import {
  AUDIT_SEVERITIES,
  type AuditComponent,
  type AuditFinding,
  type AuditKind,
  type AuditReport,
  type AuditSource,
} from 'svc/sdk/safety'
import { type Advisory, fetchAdvisories, type OsvDeps, queryAdvisories } from './osv.ts'
import { rateSeverity } from './severity.ts'

interface AuditRequest {
  readonly sources: readonly AuditSource[]
  readonly skip: readonly AuditKind[]
  progress(done: number, total: number): void
}

/** Rejects with `AUDIT_FAILED` when the database cannot be asked. */
export async function audit({ sources, skip, progress }: AuditRequest, osv: OsvDeps): Promise<AuditReport> {
  const notes: string[] = []
  const listed: AuditComponent[] = []
  for (const source of sources.filter(({ kind }) => !skip.includes(kind)))
    try {
      const found = await source.list(osv.signal)
      listed.push(...found.components)
      notes.push(...(found.notes ?? []))
    } catch (error) {
      osv.signal.throwIfAborted()
      osv.log.warn('a source of the security audit failed', { source: source.name, error })
      notes.push(`${source.name} could not be listed: ${errorMessage(error)}`)
    }
  const components = removeRepeated(listed)
  const ids = await queryAdvisories(components, osv)
  const records = await fetchAdvisories(ids.flat(), osv, progress)
  const findings = await Promise.all(
    components.map((component, at) => {
      const own = (ids[at] ?? []).flatMap(({ id }) => records.get(id) ?? [])
      return describe(
        component,
        own.filter(({ withdrawn }) => withdrawn === undefined),
      )
    }),
  )
  return { scanned: components.length, findings: findings.flat().sort(compareFindings), notes: [...new Set(notes)] }
}

/** Rejects as `audit` does. */
export async function findMalware(components: readonly AuditComponent[], osv: OsvDeps): Promise<AuditFinding[]> {
  const listed = await queryAdvisories(components, osv)
  const ids = listed.map((own) => own.filter(({ id }) => id.startsWith('MAL-')))
  const records = await fetchAdvisories(ids.flat(), osv, () => {})
  const found = components.flatMap((component, at) =>
    (ids[at] ?? [])
      .flatMap(({ id }) => records.get(id) ?? [])
      .filter(({ withdrawn }) => withdrawn === undefined)
      .map((record) => toFinding(component, record)),
  )
  return Promise.all(found)
}

/** One component for each package and version; its sources are joined. */
function removeRepeated(components: readonly AuditComponent[]): AuditComponent[] {
  const sources = new Map<string, { component: AuditComponent; from: Set<string> }>()
  for (const component of components) {
    const key = JSON.stringify([component.ecosystem, component.name, component.version])
    const known = sources.get(key)
    if (known) known.from.add(component.source)
    else sources.set(key, { component, from: new Set([component.source]) })
  }
  return [...sources.values()].map(({ component, from }) => ({ ...component, source: [...from].sort().join(', ') }))
}

/** Several databases describe one vulnerability: of records that are aliases of each other the most severe one is kept. */
async function describe(component: AuditComponent, records: readonly Advisory[]): Promise<AuditFinding[]> {
  const rated = await Promise.all(
    records.map(async (record) => ({ record, finding: { ...(await toFinding(component, record)) } })),
  )
  rated.sort((one, other) => compareFindings(one.finding, other.finding))
  const names = new Set<string>()
  return rated
    .filter(({ record }) => {
      const own = [record.id, ...record.aliases]
      const isKnown = own.some((id) => names.has(id))
      for (const id of own) names.add(id)
      return !isKnown
    })
    .map(({ finding }) => finding)
}

async function toFinding(component: AuditComponent, record: Advisory): Promise<AuditFinding> {
  const { name, version, ecosystem, source } = component
  const summary = record.summary || record.details.split('\n', 1)[0] || 'The advisory has no summary.'
  return {
    name,
    version,
    ecosystem,
    source,
    advisory: record.id,
    severity: await rateSeverity(record),
    summary,
    fixedVersions: listFixed(component, record),
  }
}

function listFixed({ name, ecosystem }: AuditComponent, { affected }: Advisory): string[] {
  const own = affected.filter((each) => each.package?.name === name && each.package.ecosystem === ecosystem)
  const ranges = own.flatMap(({ ranges }) => ranges).filter(({ type }) => type !== 'GIT')
  return [...new Set(ranges.flatMap(({ events }) => events.flatMap(({ fixed }) => fixed ?? [])))]
}

function compareFindings(one: AuditFinding, other: AuditFinding): number {
  const rank = ({ severity }: AuditFinding) => AUDIT_SEVERITIES.indexOf(severity)
  return (
    rank(other) - rank(one) ||
    one.name.localeCompare(other.name, 'en') ||
    one.advisory.localeCompare(other.advisory, 'en')
  )
}
