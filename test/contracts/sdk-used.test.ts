/**
 * Every hook, point and service of the SDK is used: something calls, reads or provides it, and a plugin that listens to all hooks,
 * contributes to the points that no built-in plugin fills, and asks for every service runs in a kernel with all built-in plugins
 * without a problem. A token that is added without a use fails here.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Conversations,
  type ExtensionPoint,
  type Hook,
  type PluginContext,
  type Service,
  type SlashCommand,
} from 'svc/sdk'
import { DashboardFiles, DashboardPages, DashboardSockets, SharedViews } from 'svc/sdk/dashboard'
import type { InlinePlugin } from 'svc/sdk/host'
import {
  type CommandProvider,
  CommandProviders,
  Plugins,
  type TranslationSource,
  TranslationSources,
} from 'svc/sdk/host'
import { Jobs } from 'svc/sdk/jobs'
import { McpCatalogs, McpExports } from 'svc/sdk/mcp'
import { type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { SkillDirs } from 'svc/sdk/skills'
import { ComposerMarks, EntryRenderers, MessageRenderers, Themes, ToolRenderers } from 'svc/sdk/terminal'
import { fakeProvider, fakeTalk, type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pluginNames, read, rooms, sourcesBelow } from '../support/repository.ts'
import { hooks, points, services } from '../support/tokens.ts'

type AnyHook = Hook<unknown, unknown, unknown, unknown>

const flow: SignInFlow = {
  name: 'used:oauth',
  provider: 'used',
  type: 'oauth',
  label: 'Used',
  signIn: async () => ({ accessToken: 'a' }),
}
const typed: SlashCommand = { name: 'used', description: 'Answer', category: 'Info', run: async () => 'used well' }
const source: CommandProvider = { name: 'used-source', commands: () => [typed] }
const texts: TranslationSource = {
  name: 'uses-everything',
  texts: async (locale) => (locale === 'de' ? { 'A text of a test.': 'Ein Text eines Tests.' } : undefined),
}
/** A contribution to each point that no built-in plugin fills. */
const contributions = new Map<string, object>([
  [SignInFlows.id, flow],
  [CommandProviders.id, source],
  [Themes.id, { name: 'used', description: 'of a test', colors: {} }],
  [MessageRenderers.id, { name: 'used', kinds: ['user'], lines: () => undefined }],
  [EntryRenderers.id, { kind: 'used', lines: () => [] }],
  [ComposerMarks.id, { name: 'used', marks: () => [] }],
  [ToolRenderers.id, { name: 'used', tools: ['todo'], title: () => 'used' }],
  [TranslationSources.id, texts],
  [SkillDirs.id, { name: 'used', path: join(tmpdir(), 'svc-no-skills') }],
  [McpExports.id, { name: 'used', tools: () => [] }],
  [Jobs.id, { name: 'used', description: 'of a test', schedule: '0 0 29 2 *', run: async () => undefined }],
  [DashboardSockets.id, { path: '/api/used', summary: 'of a test', handle: async () => undefined }],
  [DashboardFiles.id, { name: 'used', prefix: '/used', folder: tmpdir() }],
  [DashboardPages.id, { name: 'used', title: 'Used', folder: tmpdir(), entry: 'page.js' }],
  [SharedViews.id, { name: 'used', title: 'Used', place: 'page', blocks: () => [] }],
  [McpCatalogs.id, { name: 'used', dir: join(tmpdir(), 'svc-no-catalog') }],
])

const called = new Set<string>()
const found = new Map<string, boolean>()
const listeners: Readonly<Record<AnyHook['kind'], (id: string) => unknown>> = {
  notify: (id) => () => void called.add(id),
  transform: (id) => () => void called.add(id),
  decide: (id) => () => void called.add(id),
  wrap: (id) => (input: unknown, next: (input: unknown) => unknown) => {
    called.add(id)
    return next(input)
  },
}

const user: InlinePlugin = {
  name: 'uses-everything',
  optional: services().map(({ token }) => token.id),
  setup(ctx: PluginContext<undefined>) {
    for (const { token } of hooks()) ctx.on(token as never, listeners[token.kind](token.id) as never)
    for (const { token } of points()) {
      const item = contributions.get(token.id)
      if (item) ctx.add(token as ExtensionPoint<object>, item)
    }
    ctx.onStart(() => {
      for (const { token } of services()) found.set(token.id, ctx.find(token as Service<unknown>) !== undefined)
    })
  },
}

let kernel: TestKernel
beforeAll(async () => {
  const fake = fakeProvider([{ calls: [{ name: 'todo', input: {} }] }, 'done'])
  kernel = await testKernel({
    plugins: pluginNames(),
    with: [fake.plugin, user],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
}, 120_000)
afterAll(() => kernel.stop())

const joinSources = (...folders: readonly string[]) =>
  sourcesBelow(...folders)
    .map((file) => read(file))
    .join('\n')
const sources = joinSources('plugins', ...rooms)
/** Hooks that several plugins call have a function of the SDK for it. */
const callers = `${sources}\n${joinSources('sdk')}`
const kernelSources = joinSources(...rooms)
/** The kernel itself reads commands of the shell and of conversations, by the token or by its id. */
const isReadByKernel = (name: string, id: string) =>
  new RegExp(`\\b${name}\\b|\\bpoints?\\.\\w+\\('${id}'`).test(kernelSources)
const uses = (verbs: string, name: string, where = sources) =>
  new RegExp(`\\b(?:${verbs})(?:<[^>]*>)?\\(\\s*(?:\\w+,\\s*)?${name}\\b`).test(where)

describe('each token has the other side of its use', () => {
  test.for(hooks().map(({ name }) => name))('something calls the hook %s', (name) => {
    expect(uses('call|callSoon|announce', name, callers)).toBe(true)
  })

  test.for(points().map(({ name, token }) => [name, token] as const))('the point %s is filled', ([, token]) => {
    expect(kernel.all(token).all().length).toBeGreaterThan(0)
  })

  test.for(points().map(({ name, token }) => [name, token.id] as const))(
    'something reads the point %s',
    ([name, id]) => {
      expect(uses('all|whileProvided', name) || isReadByKernel(name, id)).toBe(true)
    },
  )

  test.for(services().map(({ token }) => token.id))('a plugin gets the service %s', (id) => {
    expect(found.get(id)).toBe(true)
  })
})

test('a conversation with all of it reports no problem, and the hooks of a turn are called', async () => {
  const talk = fakeTalk(kernel, { person: { confirm: true, approve: 'once' } })
  await talk.type('hello')
  expect(talk.answers()).toEqual(['done'])
  expect(await talk.type('/used')).toBe('used well')
  for (const conversation of kernel.use(Conversations).all()) await conversation.close()
  const ids = hooks().flatMap(({ name, token }) =>
    /^(Message|Tool(?!.*Changed)|Turn|Request|Conversation)/.test(name) ? [token.id] : [],
  )
  expect(ids.filter((id) => !called.has(id))).toEqual([])
  const problems = kernel.use(Plugins).problems()
  expect(problems.filter(({ plugin }) => plugin === 'uses-everything')).toEqual([])
  expect(problems.filter(({ stage }) => ['setup', 'start', 'manifest', 'hook'].includes(stage))).toEqual([])
})
