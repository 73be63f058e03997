/** Counts what is used, and makes passes while svc is idle. The curator itself is loaded for a pass that is due. */
import { AuxiliaryModels, Clock, Home, type PluginContext, Random, TurnEnded } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'
import { Skills } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import type { Config } from '../config.ts'
import type { EditBook } from '../edits.ts'
import type { CuratorCli } from './cli.ts'
import { EMPTY_USAGE, UsageCounter, usageBook } from './usage.ts'

const SAVE_MS = 60_000
const LOOK_MS = 900_000

/** What the service and the command line need of it. */
export interface Care {
  readonly usage: UsageCounter
  open(): Promise<CuratorCli>
}

export function startCare(ctx: PluginContext<Config>, edits: PluginState<EditBook>): Care {
  const now = () => ctx.use(Clock).now()
  const saveLater = () => void ctx.timeout(SAVE_MS, () => usage.save())
  const counts = ctx.state('usage', { schema: usageBook, initial: EMPTY_USAGE })
  const usage: UsageCounter = new UsageCounter(counts, now, saveLater)
  const open = async (): Promise<CuratorCli> => {
    const { Curator, curatorState, NEW_CURATOR } = await import('./curator.ts')
    const state = ctx.state('curator', { schema: curatorState, initial: NEW_CURATOR })
    const curator = new Curator({
      ...{ config: ctx.config.curator, state, edits, usage, root: ctx.use(Home).path('skills') },
      ...{ skills: () => ctx.use(Skills), clock: () => ctx.use(Clock), random: () => ctx.use(Random), log: ctx.log },
      jobSkills: async () => listJobSkills(await ctx.use(Plugins).bring(CronJobs)),
      models: () => ctx.use(Plugins).bring(AuxiliaryModels),
    })
    return { curator, state: () => state.get(), usage: () => usage.read(), config: ctx.config.curator }
  }
  ctx.defer(() => usage.save())
  let busyAt: number | undefined
  ctx.on(TurnEnded, () => {
    busyAt = now()
  })
  ctx.onStart(() => {
    busyAt ??= now()
  })
  const look = async (signal: AbortSignal) => {
    const pass = await (await open()).curator.runWhenDue(now() - (busyAt ?? now()), signal)
    if (pass && pass.archived.length > 0) ctx.log.info('skills were archived', { names: pass.archived })
    if (pass?.problem !== undefined) ctx.log.warn('skills were not consolidated', { why: pass.problem })
  }
  // A command ends before, and the program of someone else is not for such work.
  if (ctx.process.role !== 'embedded') ctx.every(LOOK_MS, look, { one: 'home', name: 'curator' })
  return { usage, open }
}

/** Those that a job loads, and those that its prompt calls as a command. */
async function listJobSkills(jobs: CronJobs | undefined): Promise<ReadonlySet<string>> {
  const all = (await jobs?.list()) ?? []
  return new Set(
    all.flatMap(({ skills, prompt }) => [
      ...skills,
      ...[...prompt.matchAll(/(?<![\w/])\/([a-z0-9][a-z0-9-]*)/g)].flatMap(([, name]) => name ?? []),
    ]),
  )
}
