/** Puts a dispatcher together; imported when there is something to dispatch. */
import { Clock, Config as Configuration, Home, type PluginContext, Random, Secrets, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Boards, TaskPlanner } from 'svc/sdk/kanban'
import { SafeFetch } from 'svc/sdk/web'
import type { CheckDeps } from './checks.ts'
import { cleanScratch } from './clean-scratch.ts'
import type { Config } from './config.ts'
import { Dispatcher } from './dispatcher.ts'
import { cleanEnvironment } from './environment.ts'
import { findFolders } from './folders.ts'
import { Planning } from './planning.ts'
import { listProfiles } from './profile-list.ts'
import { WorkerRecords } from './records.ts'
import { runProgram } from './run-program.ts'
import type { DispatcherDeps } from './state.ts'

const GIT_MS = 120_000
const FETCH_MS = 60_000

export function openDispatcher(
  ctx: PluginContext<Config>,
  { wake, signal }: { readonly wake: () => void; readonly signal: AbortSignal },
): Dispatcher {
  const clock = ctx.use(Clock)
  const home = ctx.use(Home)
  const folders = findFolders(home)
  const environment = () => {
    const secrets = ctx.use(Secrets)
    return cleanEnvironment(
      (name) => secrets.get(name),
      (text) => secrets.mask(text),
    )
  }
  const git: DispatcherDeps['git'] = (args, cwd) =>
    runProgram({ command: ['git', ...args], cwd, environment: environment(), timeoutMs: GIT_MS, signal, clock })
  return new Dispatcher({
    ...{ folders, clock, wake, signal, git, log: ctx.log, random: ctx.use(Random) },
    records: new WorkerRecords(folders.records),
    boards: () => ctx.use(Boards),
    config: () => ctx.config,
    profiles: listProfiles(home, ctx.use(Configuration).get('kanban.default_assignee')),
    program: () => workerProgram(ctx.use(Secrets).get('SVC_BIN')),
    checks: () => createCheckDeps(ctx, environment()),
  })
}

/** Contract: `clean` of `TaskDispatch`. */
export function cleanAll(ctx: PluginContext<Config>): Promise<readonly string[]> {
  const { workspaces, records } = findFolders(ctx.use(Home))
  const deps = { folder: workspaces, boards: () => ctx.use(Boards), records: new WorkerRecords(records) }
  return cleanScratch(deps, { isThorough: true })
}

export function openPlanning(ctx: PluginContext<Config>, signal: AbortSignal): Planning {
  return new Planning({
    planner: () => ctx.use(Plugins).bring(TaskPlanner),
    clock: ctx.use(Clock),
    log: ctx.log,
    signal,
    intervalMs: () => ctx.config.interval_seconds * 1000,
  })
}

/** This very program, or the one that was named. */
function workerProgram(named: string | undefined): readonly string[] {
  return named ? [named] : [process.execPath, ...process.execArgv, process.argv[1] ?? '']
}

function createCheckDeps(ctx: PluginContext<Config>, environment: Readonly<Record<string, string>>): CheckDeps {
  const timeoutMs = ctx.config.check_seconds * 1000
  return {
    ...{ clock: ctx.use(Clock), environment, timeoutMs },
    mask: (text) => ctx.use(Secrets).mask(text),
    log: ctx.log,
    ask: async (url, signal) => {
      const guard = ctx.find(SafeFetch) ?? (await ctx.use(Plugins).bring(SafeFetch))
      if (!guard) throw new SvcError('KANBAN_CHECK_HTTP', 'No plugin decides about addresses, so none is asked.')
      return guard.request({ url, signal, timeoutMs: Math.min(timeoutMs, FETCH_MS) })
    },
  }
}
