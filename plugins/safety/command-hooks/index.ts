/** Wires events of svc to the hooks of the user. Nothing of it is loaded while there are neither hooks nor conversations. */
import { join } from 'node:path'
import { CliCommands, Clock, Conversations, createTranslator, definePlugin, Secrets, SlashCommands } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { ProcessSandbox } from 'svc/sdk/shell'
import { hooksCommand } from './cli.ts'
import { hooksSlashCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { hookEnvironment } from './environment.ts'
import { parseHooks } from './hook.ts'
import { listen } from './listen.ts'
import { hookRoutes } from './routes.ts'
import { HookRunner, type LastRun } from './runner.ts'
import { TrustedProjects } from './trust.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const t = createTranslator(ctx)
    const mask = (text: string) => ctx.use(Secrets).mask(text)
    const clock = () => ctx.use(Clock)
    const trusted = new TrustedProjects(join(ctx.dataDir, 'trusted.json'))
    const say = (sessionId: string, text: string) => ctx.find(Conversations)?.of(sessionId)?.say(text, 'warning')
    const { project: usesProjects, confine: mode, ...groups } = ctx.config
    const runner = new HookRunner({
      ...{
        hooks: parseHooks('config', groups),
        usesProjects,
        trusted,
        clock,
        mask,
        mode,
        log: ctx.log,
        signal: ctx.signal,
      },
      confinement: () => ctx.find(ProcessSandbox),
      environment: (project) => hookEnvironment((name) => ctx.use(Secrets).get(name), project, mask),
      report: (sessionId, { hook, problem }) =>
        say(sessionId, t('The hook {hook} failed: {problem}', { hook: hook.id, problem })),
      last: ctx.keep('last-runs', () => new Map<string, LastRun>()),
    })
    listen(ctx, runner, { say, clock, t })
    ctx.add(SlashCommands, hooksSlashCommand(runner, t))
    for (const route of hookRoutes(ctx, runner)) ctx.add(DashboardRoutes, route)
    ctx.add(CliCommands, hooksCommand(runner, trusted))
  },
})
