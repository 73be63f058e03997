/** Trying out a platform's configuration without its service: `svc gateway rehearse`. Plugin `rehearsal`. */
import { defineService, type Service } from './declarations.ts'

/** One step of a dry run and its result. @since 0.2 */
export interface DryRunStep {
  readonly name: string
  /** `warning`: it works, but perhaps not as intended. */
  readonly result: 'ok' | 'warning' | 'failed'
  readonly detail: string
  /** What to change. */
  readonly advice?: string
}

/** Provided by the plugin `rehearsal`. @since 0.2 */
export interface PlatformDryRuns {
  /** Platforms whose service has a stand-in. */
  platforms(): Promise<readonly string[]>
  /** Faults that the stand-in of a platform has. */
  faults(platform: string): Promise<readonly string[]>
  /**
   * Runs the user's configuration of a platform against its stand-in, in a home that is thrown away. Throws
   * `REHEARSAL_PLATFORM` or `REHEARSAL_FAULT` for an unknown name.
   */
  run(
    platform: string,
    options: {
      readonly chaos?: readonly string[]
      readonly onStep?: (step: DryRunStep) => void
      readonly signal?: AbortSignal
    },
  ): Promise<readonly DryRunStep[]>
}
export const PlatformDryRuns: Service<PlatformDryRuns> = defineService('rehearsals')
