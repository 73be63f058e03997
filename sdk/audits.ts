/** Security audits: plugins list what they installed, and the audit looks it up in a database of advisories. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** A package in an exact version. @since 0.2 */
export interface AuditComponent {
  readonly name: string
  readonly version: string
  /** As the OSV schema names it, `npm` or `PyPI`: https://ossf.github.io/osv-schema/#affectedpackage-field */
  readonly ecosystem: string
  /** For people: what brought it, such as `plugin weather`. */
  readonly source: string
}

/** What a source found. @since 0.2 */
export interface AuditList {
  readonly components: readonly AuditComponent[]
  /** A sentence for each thing that cannot be audited: a version that is not pinned, a file that cannot be read. */
  readonly notes?: readonly string[]
}

/** `packages`: what svc itself runs on; `mcp`: servers of the Model Context Protocol. @since 0.2 */
export type AuditKind = 'packages' | 'plugins' | 'mcp'

/** Contributed to `AuditSources`. @since 0.2 */
export interface AuditSource extends Ordered {
  readonly name: string
  readonly kind: AuditKind
  /** Asks no server and runs nothing. If it rejects, the reason becomes a note of the report. */
  list(signal: AbortSignal): Promise<AuditList>
}
/** @since 0.2 */
export const AuditSources: ExtensionPoint<AuditSource> = extensionPoint(
  'audit-sources',
  (source) => source.name,
  undefined,
  { problem: checkMembers({ name: 'string', kind: 'string', list: 'function' }) },
)

/** In ascending order. `unknown`: the advisory states none. @since 0.2 */
export const AUDIT_SEVERITIES = ['unknown', 'low', 'moderate', 'high', 'critical'] as const
/** @since 0.2 */
export type AuditSeverity = (typeof AUDIT_SEVERITIES)[number]

/** An advisory that applies to a component. @since 0.2 */
export interface AuditFinding extends AuditComponent {
  /** Id of the advisory: `GHSA-…`, `PYSEC-…`; `MAL-…` for a package that is malicious as such. */
  readonly advisory: string
  readonly severity: AuditSeverity
  readonly summary: string
  /** Versions that mend it; none when there is no such version. */
  readonly fixedVersions: readonly string[]
}

/** Result of an audit. @since 0.2 */
export interface AuditReport {
  /** Number of different components that were looked up. */
  readonly scanned: number
  /** The most severe first. */
  readonly findings: readonly AuditFinding[]
  readonly notes: readonly string[]
}

/**
 * Provided by the plugin `security-audit`. Plugins with a source name it under `with`, so that they are loaded for an audit.
 * @since 0.2
 */
export interface SecurityAudit {
  /** Rejects with `AUDIT_FAILED` when the database cannot be asked, and with the reason of the signal. */
  run(options: {
    readonly signal: AbortSignal
    readonly skip?: readonly AuditKind[]
    /** Called while advisories are fetched. */
    progress?(done: number, total: number): void
  }): Promise<AuditReport>
  /**
   * Those of the packages that are known as malicious (`MAL-…`): for a look before one of them is run. Rejects as `run` does; whether
   * a package runs that could not be looked up is for the caller to decide.
   */
  findMalware(
    components: readonly AuditComponent[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly AuditFinding[]>
}
/** @since 0.2 */
export const SecurityAudit: Service<SecurityAudit> = defineService('security-audit')
