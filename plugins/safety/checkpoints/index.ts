/** Wires the service, the hook that takes snapshots, `/rollback` and `svc checkpoints`. */
import {
  AroundToolCall,
  CliCommands,
  Clock,
  createTranslator,
  definePlugin,
  Home,
  Random,
  Secrets,
  SlashCommands,
  TurnEnded,
} from 'svc/sdk'
import { Checkpoints } from 'svc/sdk/sessions'
import { findEnvironment, ShellCommandAnalysis } from 'svc/sdk/shell'
import { checkpointsCommand } from './cli.ts'
import { type Locate, rollbackCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import type { Gate, WorkingSession } from './gate.ts'
import type { CheckpointStore } from './service.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let opened: Promise<CheckpointStore> | undefined
    const store = () => {
      opened ??= open()
      return opened
    }
    async function open(): Promise<CheckpointStore> {
      const { CheckpointStore } = await import('./service.ts')
      return new CheckpointStore({
        config: ctx.config,
        dir: ctx.dataDir,
        svcHome: ctx.use(Home).root,
        clock: () => ctx.use(Clock),
        random: () => ctx.use(Random),
        searchPath: () => ctx.use(Secrets).get('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
        signal: ctx.signal,
      })
    }
    let pruning: Promise<void> | undefined
    const pruneSoon = () => {
      pruning ??= store()
        .then((open) => open.pruneDaily())
        .catch((error: unknown) => ctx.log.warn('old snapshots were not removed', { error }))
        .finally(() => {
          pruning = undefined
        })
    }
    const projectThere = async (session: WorkingSession) => {
      const environment = await findEnvironment(ctx, session)
      return environment && (await import('./environment-files.ts')).findProjectThere(environment)
    }
    const locate: Locate = async ({ sessionId, cwd }) => (await projectThere({ sessionId, cwd })) ?? cwd
    let gate: Promise<Gate> | undefined
    const opening = async () => {
      const { Gate } = await import('./gate.ts')
      return new Gate({
        store,
        risks: () => ctx.find(ShellCommandAnalysis),
        projectThere,
        log: ctx.log,
        t: createTranslator(ctx),
        made: pruneSoon,
      })
    }
    ctx.on(AroundToolCall, async (request, next) => {
      if (ctx.config.enabled && request.tool.effect !== 'pure') {
        gate ??= opening()
        await (await gate).before(request)
        // Perhaps before the snapshot was whole.
        if (request.turn.signal.aborted) return { text: 'Not run: the turn was interrupted.', failed: true }
      }
      return next(request)
    })
    ctx.on(TurnEnded, async ({ turnId }) => (await gate)?.ended(turnId))
    ctx.provide(Checkpoints, () => ({
      list: async (cwd, options) => (await store()).list(cwd, options),
      summarize: async () => (await store()).summarize(),
      take: async (cwd, reason) => (await store()).take(cwd, reason),
      diff: async (cwd, which) => (await store()).diff(cwd, which),
      restore: async (cwd, which, file) => (await store()).restore(cwd, which, file),
    }))
    ctx.add(SlashCommands, rollbackCommand(ctx, store, locate))
    ctx.add(CliCommands, checkpointsCommand(ctx, store))
    ctx.defer(() => pruning)
  },
})
