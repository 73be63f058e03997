/** Rehearsals: the configuration is checked, run against a stand-in, and run with faults. */
import { Config, errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import {
  type DryRunStep,
  Gateway,
  type PlatformDryRuns,
  type StandIn,
  type StandInService,
  StandIns,
} from 'svc/sdk/platform'
import { rehearseFault } from './chaos.ts'
import { configurationSteps } from './configuration.ts'
import { performance } from './performance.ts'
import { openStage } from './rehearsal-setup.ts'

type Options = Parameters<PlatformDryRuns['run']>[1]

/** Contract: `PlatformDryRuns` of the SDK. */
export class PlatformRehearsals implements PlatformDryRuns {
  readonly #ctx: PluginContext<undefined>

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  async platforms(): Promise<readonly string[]> {
    return (await this.#standIns()).map(({ name }) => name)
  }

  async faults(platform: string): Promise<readonly string[]> {
    const fake = await this.#fake(platform)
    const faults = [...fake.sendFaults, ...fake.lineFaults]
    await fake.close()
    return faults
  }

  async run(platform: string, { chaos = [], onStep, signal }: Options): Promise<readonly DryRunStep[]> {
    const steps: DryRunStep[] = []
    const add = (step: DryRunStep) => {
      steps.push(step)
      onStep?.(step)
    }
    const fake = await this.#fake(platform)
    try {
      checkFaults(fake, chaos)
      const block = this.#ctx.use(Config).get(`platforms.${platform}`)
      for (const step of configurationSteps(platform, block)) add(step)
      await this.#perform(fake, chaos, add, signal)
    } finally {
      await fake.close()
    }
    return steps
  }

  async #perform(
    fake: StandInService,
    chaos: readonly string[],
    add: (step: DryRunStep) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stage = await openStage(this.#ctx, fake)
    try {
      for await (const step of performance(stage)) {
        signal?.throwIfAborted()
        add(step)
      }
      for (const fault of chaos) {
        signal?.throwIfAborted()
        add(await rehearseFault(stage, fault))
      }
    } catch (error) {
      signal?.throwIfAborted()
      logFault(this.#ctx.log, 'a rehearsal failed', error)
      add({ name: 'the rehearsal', result: 'failed', detail: errorMessage(error) })
    } finally {
      await stage.close()
    }
  }

  /** Platforms are loaded along with the gateway, which is not started here. */
  async #standIns(): Promise<readonly StandIn[]> {
    await this.#ctx.use(Plugins).bring(Gateway)
    return [...this.#ctx.all(StandIns).all()].sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  async #fake(platform: string): Promise<StandInService> {
    const all = await this.#standIns()
    const found = all.find(({ name }) => name === platform)
    if (found) return found.open()
    const message = `There is no stand-in for "${platform}". There are: ${all.map(({ name }) => name).join(', ')}.`
    throw new SvcError('REHEARSAL_PLATFORM', message, { status: 404 })
  }
}

function checkFaults(fake: StandInService, chaos: readonly string[]): void {
  const known: readonly string[] = [...fake.sendFaults, ...fake.lineFaults]
  const unknown = chaos.find((fault) => !known.includes(fault))
  if (unknown === undefined) return
  const message = `The stand-in of ${fake.name} has no fault "${unknown}". It has: ${known.join(', ')}.`
  throw new SvcError('REHEARSAL_FAULT', message, { status: 400 })
}
