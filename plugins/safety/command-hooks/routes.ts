/** Hooks of the configuration for the dashboard. Those of projects are shown for a folder, and agreed to in a terminal. */
import { type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { type CommandEntry, type Config, type Group, projectFile } from './config.ts'
import { EVENT_NAMES, type EventName, isEventName, MAX_TIMEOUT } from './events.ts'
import { shownHooks } from './report.ts'
import { type HookRunner, listProblems } from './runner.ts'

type Context = PluginContext<Config>

const PATH = '/api/ops/hooks'
const event = z.string().refine((name): name is EventName => isEventName(name), 'There is no such event')
const hookSchema = z.object({
  ...{ id: z.string(), event: z.string(), matcher: z.string(), command: z.string(), timeout: z.number() },
  source: z.enum(['config', 'project']),
  allowed: z.boolean().meta({ description: 'It runs; one of a project only once a person agreed to its content.' }),
  blocks_on_failure: z.boolean(),
  last: z.object({ at: z.number(), ms: z.number(), result: z.string() }).nullable(),
})
const done = z.object({ ok: z.literal(true), event: z.string(), command: z.string() })

export function hookRoutes(ctx: Context, runner: HookRunner): readonly DashboardRoute[] {
  const mask = (text: string) => ctx.use(Secrets).mask(text)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: PATH,
      summary: 'The commands that run at moments of a conversation, and what each did last',
      query: z.object({ cwd: z.string().max(4096).optional().meta({ description: 'With those of its project.' }) }),
      response: z.object({
        hooks: z.array(hookSchema),
        problems: z.array(z.string()),
        valid_events: z.array(z.string()),
      }),
      async handle({ query: { cwd } }) {
        const known = await runner.known(cwd ?? '/')
        return {
          hooks: shownHooks(known, runner.last).map(({ timeoutSeconds, onFailure, inactive, last, ...hook }) => ({
            ...{ id: hook.id, event: hook.event, matcher: hook.matcher, source: hook.source },
            ...{ command: mask(hook.command), timeout: timeoutSeconds, allowed: inactive === undefined },
            blocks_on_failure: onFailure === 'block',
            last: last ? { ...last, result: mask(last.result) } : null,
          })),
          problems: [...listProblems(known.hooks), ...(known.problem === undefined ? [] : [known.problem])],
          valid_events: [...EVENT_NAMES],
        }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: PATH,
      summary: 'Adds a command to config.yaml, which then runs at that moment; `svc config undo` takes it back',
      body: z.strictObject({
        event,
        command: z.string().trim().min(1).max(10_000),
        matcher: z.string().max(1000).default(''),
        timeout: z.number().positive().max(MAX_TIMEOUT).optional(),
        approve: z.literal(true).meta({ description: 'A person agrees that the command runs on this machine.' }),
      }),
      response: z.object({ ...done.shape, approved: z.literal(true) }),
      async handle({ body: { event: name, command, matcher, timeout } }) {
        const entry = { type: 'command', command, ...(timeout !== undefined && { timeout }) }
        await change(ctx, name, (groups) => [...groups, { ...(matcher !== '' && { matcher }), hooks: [entry] }])
        return { ok: true as const, event: name, command, approved: true as const }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: PATH,
      summary: 'Takes a command out of config.yaml; `svc config undo` brings it back',
      body: z.strictObject({ event, command: z.string().min(1).max(10_000) }),
      response: done,
      async handle({ body: { event: name, command } }) {
        await change(ctx, name, (groups) => {
          const left = groups.map((group) => ({
            ...group,
            hooks: group.hooks.filter((hook) => mask(hook.command ?? '') !== command),
          }))
          if (left.every(({ hooks }, at) => hooks.length === groups[at]?.hooks.length))
            throw new SvcError('HOOKS_UNKNOWN', `No hook of ${name} in config.yaml runs that command.`, { status: 404 })
          return left.filter(({ hooks }) => hooks.length > 0)
        })
        return { ok: true as const, event: name, command }
      },
    }),
  ]
}

/** As written: without defaults. */
type WrittenGroup = Omit<Partial<Group>, 'hooks'> & { readonly hooks: readonly Partial<CommandEntry>[] }

/** Changes the groups of an event as they are written, so that a variable in them stays one, and has them applied. Throws what the writer of the file does. */
async function change(ctx: Context, name: EventName, work: (groups: readonly WrittenGroup[]) => readonly object[]) {
  const file = requireService(ctx.find(ConfigFile), ConfigFile.id)
  const { parse } = await import('yaml')
  const written = parse(await file.text()) as { hooks?: Record<string, unknown> } | null
  const groups = projectFile.shape.hooks.shape[name].safeParse(written?.hooks?.[name] ?? [])
  if (!groups.success)
    throw new SvcError('HOOKS_FILE', `hooks.${name} in config.yaml cannot be read. Mend it with svc config edit.`, {
      status: 409,
    })
  const before = (written?.hooks?.[name] ?? []) as readonly WrittenGroup[]
  const after = work(before)
  const by = { author: 'dashboard', reason: `hooks of ${name}` }
  await file.write([{ path: `hooks.${name}`, value: after.length > 0 ? after : undefined }], by)
  await ctx.use(Plugins).applyConfig()
}
