/** Checks of an installation, for `svc doctor`: each plugin checks what it is responsible for. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** For a repair: what it changes goes through here, so that it can be brought back. @since 0.2 */
export interface RepairContext {
  /** Keeps a copy of a file before it is changed. Returns where it is. */
  keep(file: string): string
  /** Moves a file, or a folder with all below it, out of the way. Returns where it is. */
  setAside(path: string): string
}

/** One thing that was looked at. @since 0.1 */
export interface HealthFinding {
  /** `problem`: something does not work; `warning`: it works, but not as it should. */
  readonly state: 'ok' | 'warning' | 'problem'
  /** One sentence: what was found. Holds no secret. */
  readonly text: string
  /** What to do, as a command where there is one. Every `problem` has it. */
  readonly fix?: string
  /**
   * Does what `fix` says, for `svc doctor --fix`. Only where no person has to decide, nothing is lost and the former state can be brought
   * back. Resolves to what was done, as a sentence. What it throws is shown as the reason why it was not done. @since 0.2
   */
  readonly repair?: (context: RepairContext) => Promise<string>
}

/** Contributed to `HealthChecks`. @since 0.1 */
export interface HealthCheck extends Ordered {
  readonly name: string
  /** In one or two words, for people: `Disk`. */
  readonly title: string
  /** Looks without changing anything. What it throws is reported as a problem; it has ten seconds, then the signal aborts. */
  check(signal: AbortSignal): Promise<readonly HealthFinding[]>
}
/** @since 0.1 */
export const HealthChecks: ExtensionPoint<HealthCheck> = extensionPoint(
  'health-checks',
  (check) => check.name,
  undefined,
  {
    problem: checkMembers({ name: 'string', title: 'string', check: 'function' }),
  },
)

/**
 * Provided by the plugin `doctor`; plugins with a check name it under `with`, so that they are loaded when it runs.
 * @since 0.1
 */
export interface Health {
  /** Runs all checks at once. Never rejects. */
  run(
    signal: AbortSignal,
  ): Promise<readonly { readonly check: string; readonly title: string; readonly findings: readonly HealthFinding[] }[]>
}
export const Health: Service<Health> = defineService('health')
