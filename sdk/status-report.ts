/** What an installation is and does, for `svc status`: each plugin tells of what it is responsible for. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { HealthFinding } from './health.ts'

/** One line of a section. @since 0.2 */
export interface StatusLine {
  /** In one to three words: `Telegram`. */
  readonly label: string
  /** A value or a sentence, without a secret. */
  readonly text: string
  /** Left out: neither good nor bad. */
  readonly state?: HealthFinding['state']
  /** What to do, as a command where there is one. */
  readonly fix?: string
}

/** Contributed to `StatusSections`. @since 0.2 */
export interface StatusSection extends Ordered {
  /** What `svc status <name>` shows, and its key for programs. Lower-case letters, digits and hyphens. */
  readonly name: string
  /** In one or two words, for people: `Gateway`. */
  readonly title: string
  /**
   * Reads what this machine knows. Nothing is changed, no model is called and no other machine is asked. What it throws is shown
   * in its place; it has five seconds, then the signal aborts. An empty list shows nothing.
   */
  read(signal: AbortSignal): Promise<readonly StatusLine[]>
}
/** @since 0.2 */
export const StatusSections: ExtensionPoint<StatusSection> = extensionPoint(
  'status-sections',
  (section) => section.name,
  undefined,
  { problem: checkMembers({ name: 'string', title: 'string', read: 'function' }) },
)

/**
 * Provided by the plugin `status-report`; plugins with a section name it under `with`, so that they are loaded when it is read.
 * @since 0.2
 */
export interface StatusReport {
  /** Reads all sections concurrently. Rejects only when `signal` aborts. */
  read(
    signal: AbortSignal,
  ): Promise<readonly { readonly section: string; readonly title: string; readonly lines: readonly StatusLine[] }[]>
}
export const StatusReport: Service<StatusReport> = defineService('status-report')
