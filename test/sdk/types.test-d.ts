/**
 * What the types of the SDK promise, and what they refuse. `npm run check` compiles this file: a line that should be
 * refused and is not, or the other way round, is an error there. Nothing here runs.
 */
import { type InlinePlugin, openSvc } from 'svc'
import {
  Agent,
  AroundToolCall,
  BeforeModelRequest,
  BeforeSlashCommand,
  BeforeToolCall,
  BeforeUserMessage,
  CliCommands,
  Clock,
  decisionHook,
  definePlugin,
  defineService,
  defineTool,
  type ErrorMessages,
  extensionPoint,
  type HookDecision,
  notifyHook,
  type PluginContext,
  type Service,
  Sessions,
  SlashCommands,
  SvcError,
  type Tool,
  type ToolResult,
  Tools,
  TurnEnded,
  type TurnEvent,
  transformHook,
  wrapHook,
} from 'svc/sdk'
import type { ContributionRegistry, Manifest } from 'svc/sdk/host'
import { type ModelEvent, Providers } from 'svc/sdk/provider'
import { type Database, Storage } from 'svc/sdk/storage'
import { fakeProvider, testKernel, virtualClock } from 'svc/sdk/testing'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'

const settings = z.object({ port: z.number().default(1), hosts: z.array(z.string()).default([]) })

export const withConfig = definePlugin({
  config: settings,
  setup(ctx) {
    expectTypeOf(ctx.config).toEqualTypeOf<{ port: number; hosts: string[] }>()
    // @ts-expect-error the config has no such key
    ctx.config.prot
    // @ts-expect-error the config of a generation is frozen
    ctx.config = { port: 2, hosts: [] }
    // @ts-expect-error a fact, not a field to set
    ctx.name = 'other'
  },
})

export const withoutConfig = definePlugin({
  setup(ctx) {
    expectTypeOf(ctx.config).toEqualTypeOf<undefined>()
  },
})

// @ts-expect-error a plugin needs a setup
definePlugin({ config: settings })
// @ts-expect-error setup returns a disposer or nothing
definePlugin({ setup: () => 42 })
definePlugin({ setup: async () => async () => {} })

export function hooks(ctx: PluginContext<undefined>): void {
  ctx.on(BeforeUserMessage, (text, turn) => `${turn.surface}: ${text}`)
  ctx.on(BeforeUserMessage, () => undefined)
  ctx.on(BeforeUserMessage, async (text, _turn, { signal }) => (signal.aborted ? text : text.trim()))
  // @ts-expect-error a transform returns its own type
  ctx.on(BeforeUserMessage, () => 42)
  ctx.on(BeforeModelRequest, (messages) => messages.slice(1))
  // @ts-expect-error messages are read-only
  ctx.on(BeforeModelRequest, (messages) => void messages.push({ role: 'user', text: 'x' }))

  ctx.on(TurnEnded, ({ reason, usage }) => {
    expectTypeOf(reason).toEqualTypeOf<'completed' | 'interrupted' | 'max-iterations' | 'failed' | 'crashed'>()
    expectTypeOf(usage.input).toEqualTypeOf<number | undefined>()
  })
  // @ts-expect-error who is only told has nothing to say
  ctx.on(TurnEnded, () => 'done')

  ctx.on(BeforeToolCall, ({ name }) => (name === 'rm' ? { allow: false, reason: 'never' } : undefined))
  // @ts-expect-error a verdict says whether to allow
  ctx.on(BeforeToolCall, () => ({ reason: 'x' }))
  ctx.on(BeforeSlashCommand, ({ command, args }) => ({ allow: command.name !== args }))

  ctx.on(AroundToolCall, async (request, next) => ({ ...(await next(request)), failed: false }))
  // @ts-expect-error a wrap answers with what it wraps
  ctx.on(AroundToolCall, async () => 'text')
  // @ts-expect-error next takes what the hook takes
  ctx.on(AroundToolCall, (_request, next) => next('text'))

  ctx.on(BeforeUserMessage, (text) => text, { before: ['other'], stage: -1 })
  // @ts-expect-error plugins are named in a list
  ctx.on(BeforeUserMessage, (text) => text, { before: 'other' })
}

export async function calls(ctx: PluginContext<undefined>, result: ToolResult): Promise<void> {
  const Told = notifyHook<{ readonly id: number }>('test:told')
  const Changed = transformHook<string>('test:changed')
  const InContext = transformHook<string, number>('test:in-context')
  const Allowed = decisionHook<string>('test:allowed', { verdict: () => ({ allow: false }) })
  const Around = wrapHook<string, ToolResult>('test:around', { failure: 'skip' })

  expectTypeOf(await ctx.call(Told, { id: 1 })).toEqualTypeOf<void>()
  expectTypeOf(await ctx.call(Changed, 'x')).toEqualTypeOf<string>()
  expectTypeOf(await ctx.call(InContext, 'x', 1)).toEqualTypeOf<string>()
  expectTypeOf(await ctx.call(Allowed, 'x')).toEqualTypeOf<HookDecision | undefined>()
  expectTypeOf(await ctx.call(Around, 'x', async () => result)).toEqualTypeOf<ToolResult>()
  // @ts-expect-error the event has an id
  await ctx.call(Told, {})
  // @ts-expect-error the context is missing
  await ctx.call(InContext, 'x')
  // @ts-expect-error what is wrapped is missing
  await ctx.call(Around, 'x')
  // @ts-expect-error a gate says what a failure counts as
  decisionHook<string, boolean>('test:open', {})
  // @ts-expect-error a wrap says what a failure means
  wrapHook<string, string>('test:loose', {})
}

interface Lamp {
  light(): string
}
const Lamp: Service<Lamp> = defineService('lamp')

export function services(ctx: PluginContext<undefined>): void {
  expectTypeOf(ctx.use(Lamp)).toEqualTypeOf<Lamp>()
  expectTypeOf(ctx.find(Lamp)).toEqualTypeOf<Lamp | undefined>()
  expectTypeOf(ctx.use(Clock).now()).toEqualTypeOf<number>()
  ctx.provide(Lamp, () => ({ light: () => 'on' }))
  // @ts-expect-error a lamp has a light
  ctx.provide(Lamp, () => ({}))
  // @ts-expect-error a service is made when it is first used
  ctx.provide(Lamp, { light: () => 'on' })
  // @ts-expect-error a service is named by its token
  ctx.use('lamp')
  // @ts-expect-error a hook is no service
  ctx.use(BeforeUserMessage).anything
}

export function contributions(ctx: PluginContext<undefined>): void {
  const Words = extensionPoint<{ readonly name: string }>('words', (word) => word.name)
  expectTypeOf(ctx.all(Words)).toEqualTypeOf<ContributionRegistry<{ readonly name: string }>>()
  expectTypeOf(ctx.all(Words).get('x')).toEqualTypeOf<{ readonly name: string } | undefined>()
  ctx.add(Words, { name: 'x' })
  // @ts-expect-error a word has a name
  ctx.add(Words, {})
  // @ts-expect-error a tool needs a run function
  ctx.add(Tools, {
    name: 'x',
    description: 'y',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
  })
  // @ts-expect-error a slash command is described
  ctx.add(SlashCommands, { name: 'x', run: async () => undefined })
  ctx.add(SlashCommands, { name: 'x', description: 'y', run: async () => undefined })
  ctx.add(CliCommands, { name: 'x', description: 'y', run: async () => 1 })
  ctx.add(CliCommands, { name: 'x', description: 'y', run: () => 'a line' })
  // @ts-expect-error a command returns an exit code or a text
  ctx.add(CliCommands, { name: 'x', description: 'y', run: async () => true })
  ctx.add(Providers, {
    name: 'x',
    label: 'X',
    status: async () => ({ ready: true, detail: 'fine' }),
    models: async () => [],
    async *stream() {
      yield { type: 'text', text: 'one' } satisfies ModelEvent
      yield [{ type: 'end', reason: 'stop' }] satisfies ModelEvent[]
    },
  })
}

const tool = defineTool({
  name: 'weather',
  description: 'Current weather.',
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  effect: 'pure',
  toolset: 'web',
  reach: 'nothing',
  run: async ({ city, days }, turn) => {
    expectTypeOf(city).toEqualTypeOf<string>()
    expectTypeOf(days).toEqualTypeOf<number>()
    expectTypeOf(turn.signal).toEqualTypeOf<AbortSignal>()
    return { text: city, data: days }
  },
})
expectTypeOf(tool).toEqualTypeOf<Tool>()
defineTool({
  name: 'x',
  description: 'y',
  input: z.object({}),
  // @ts-expect-error an effect is one of four
  effect: 'harmless',
  toolset: 'test',
  reach: 'nothing',
  run: async () => 'x',
})
defineTool({
  name: 'x',
  description: 'y',
  input: z.object({ city: z.string() }),
  effect: 'pure',
  toolset: 'test',
  reach: 'nothing',
  // @ts-expect-error the input has no such key
  run: async ({ town }) => town,
})

export async function agent(ctx: PluginContext<undefined>): Promise<string | undefined> {
  // @ts-expect-error a turn belongs to a session and a surface
  ctx.use(Agent).run({ text: 'hi' })
  for await (const event of ctx.use(Agent).run({ sessionId: 's', text: 'hi', surface: 'cli' })) {
    expectTypeOf(event.seq).toEqualTypeOf<number>()
    if (event.type === 'message.delta') return event.text
    // @ts-expect-error only some events have a text
    if (event.type === 'turn.end') return event.text
  }
  const session = ctx.use(Sessions).create({ surface: 'cli', cwd: '/' })
  expectTypeOf(session.record({ turnId: 't', events: [] })).toEqualTypeOf<readonly TurnEvent[]>()
  return undefined
}

export function storage(ctx: PluginContext<undefined>): void {
  const database: Database = ctx.use(Storage).open({ file: '/x.db', migrations: [] })
  const rows = database.prepare<{ id: number }>('SELECT id FROM t').all()
  expectTypeOf(rows).toEqualTypeOf<{ id: number }[]>()
  // @ts-expect-error only what SQLite holds
  database.prepare('SELECT ?').get({ an: 'object' })
  expectTypeOf(database.transaction(() => 1)).toEqualTypeOf<number>()
}

new SvcError('CODE', 'It is so.', { status: 404, cause: new Error() })
// @ts-expect-error an error says what happened
new SvcError('CODE')
export const codes = { CODE: 'It is so.' } satisfies ErrorMessages
// @ts-expect-error a code has a sentence
export const wrongCodes = { CODE: 42 } satisfies ErrorMessages

export const manifest: Manifest = { name: 'x', version: '1.0.0', sdk: '*', kind: 'tool', description: 'X.' }
// @ts-expect-error a manifest says its version
export const noVersion: Manifest = { name: 'x', sdk: '*', kind: 'tool', description: 'X.' }

export async function embedding(): Promise<void> {
  const plugin: InlinePlugin = { name: 'mine', ...withConfig, provides: ['lamp'] }
  const svc = await openSvc({ with: [plugin, { name: 'other', config: 'my.block', setup() {} }] })
  expectTypeOf(svc.use(Lamp)).toEqualTypeOf<Lamp>()
  // @ts-expect-error a plugin has a name
  await openSvc({ with: [{ setup() {} }] })
}

export async function testing(): Promise<void> {
  const clock = virtualClock()
  const { plugin, requests } = fakeProvider(['hi', { calls: [{ name: 'weather', input: { city: 'Bern' } }] }])
  await using kernel = await testKernel({ with: [plugin], clock, config: { model: { provider: 'fake' } } })
  const { code, out } = await kernel.run(['chat', '-q', 'hi'], { stdin: 'x' })
  expectTypeOf({ code, out }).toEqualTypeOf<{ code: number; out: string }>()
  expectTypeOf(requests[0]?.model).toEqualTypeOf<string | undefined>()
  await clock.advance(1000)
  // @ts-expect-error a reply is a text or an object
  fakeProvider([42])
}

const Plain = transformHook<string>('test:plain')

export const noContext = definePlugin({
  setup(ctx) {
    void ctx.call(Plain, 'text')
    // @ts-expect-error a transform without a context takes none
    void ctx.call(Plain, 'text', 42)
  },
})
