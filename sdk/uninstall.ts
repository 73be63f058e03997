/** The removal of svc from a machine: each plugin knows what it put outside of the home. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** One thing to remove, or to end. @since 0.2 */
export interface UninstallItem {
  /** What is done, as an imperative with the path: `Remove the link /home/ada/.local/bin/svc`. */
  readonly text: string
  /**
   * Does it; what is gone already is no error. What it throws is shown, and the other items follow. Left out: a person has to do it,
   * and `text` says how. Code that it needs is imported before `find` resolves, since the program may be gone by then.
   */
  readonly remove?: (signal: AbortSignal) => Promise<void>
}

/** Contributed to `UninstallSteps`. The plugin names the service `uninstaller` under `with`. @since 0.2 */
export interface UninstallStep extends Ordered {
  readonly name: string
  /**
   * When it is its turn: `running` ends processes and what starts them, and nothing else is removed while one of svc runs; `files` are what
   * shells and systems know of svc; `program` is the installation, after the data.
   */
  readonly phase: 'running' | 'files' | 'program'
  /** Looks without changing anything. What it throws is shown as something that a person has to do. */
  find(signal: AbortSignal): Promise<readonly UninstallItem[]>
}
/** @since 0.2 */
export const UninstallSteps: ExtensionPoint<UninstallStep> = extensionPoint(
  'uninstall-steps',
  (step) => step.name,
  undefined,
  { problem: checkMembers({ name: 'string', phase: 'string', find: 'function' }) },
)

/** Provided by the plugin `uninstall`. @since 0.2 */
export interface Uninstaller {
  /** All that `svc uninstall` would do, in its order. Changes nothing and never rejects, except when `signal` aborts. */
  plan(signal: AbortSignal): Promise<
    readonly {
      readonly step: string
      readonly phase: UninstallStep['phase']
      readonly items: readonly UninstallItem[]
    }[]
  >
}
export const Uninstaller: Service<Uninstaller> = defineService('uninstaller')
