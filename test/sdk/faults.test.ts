import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { logFault, type PluginContext, PromptParts, SlashCommands, SvcError } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { Gateway, type Platform, Platforms, platformSettingDefaults } from 'svc/sdk/platform'
import { type ModelProvider, Providers } from 'svc/sdk/provider'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scene, toolPlugin } from '../support/scene.ts'

function recorder() {
  const lines: { readonly what: string; readonly fields: object | undefined }[] = []
  return { lines, log: { warn: (what: string, fields?: object) => void lines.push({ what, fields }) } }
}

test('a fault that no one foresaw is logged once, however many catch it and wrap it', () => {
  const { lines, log } = recorder()
  const error = new TypeError('x is not a function')
  logFault(log, 'the inner call failed', error, 'weather')
  logFault(log, 'the outer call failed', new Error('wrapped', { cause: error }))
  expect(lines).toEqual([{ what: 'the inner call failed', fields: { owner: 'weather', error } }])
})

test('errors with a code and interruptions are not logged as faults', () => {
  const { lines, log } = recorder()
  logFault(log, 'it failed', new SvcError('TEST_ERROR', 'It is so.'))
  logFault(log, 'it failed', new Error('because', { cause: new SvcError('TEST_ERROR', 'It is so.') }))
  logFault(log, 'it failed', new DOMException('interrupted', 'AbortError'))
  expect(lines).toEqual([])
})

test('an error with a code is logged when its first cause is a mistake of code, and not when that explains itself', () => {
  const { lines, log } = recorder()
  const coded = (cause: unknown) => new SvcError('TEST_ERROR', 'It is so.', { cause })
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const schema = z.object({ a: z.string() }).safeParse({}).error
  const explained = [
    coded(refused),
    coded(new TypeError('fetch failed', { cause: refused })),
    coded(new SyntaxError('Unexpected token')),
    coded(schema),
    coded(new DOMException('too late', 'TimeoutError')),
    coded(new TypeError('x', { cause: new DOMException('interrupted', 'AbortError') })),
    coded('a text'),
  ]
  for (const error of explained) logFault(log, 'it failed', error)
  expect(lines).toEqual([])
  const mistakes = [coded(new TypeError('x is undefined')), coded(coded(new Error('no code'))), 'a text']
  for (const error of mistakes) logFault(log, 'it failed', error)
  expect(lines.map(({ fields }) => (fields as { error: unknown }).error)).toEqual(mistakes)
})

const readLog = (home: string) => readFileSync(join(home, 'logs', 'svc.log'), 'utf8').split('\n')

test('a fault in a tool is in the log with its stack and its plugin', async () => {
  const broken = {
    ...{ name: 'broken', description: 'Breaks', input: z.object({}), effect: 'pure' as const, toolset: 'test' },
    reach: 'nothing' as const,
    run: async () => {
      throw new TypeError('kaboom')
    },
  }
  const { kernel, tool } = await scene({ with: [toolPlugin(broken)] })
  expect((await tool('broken', {})).text).toContain('kaboom')
  const lines = readLog(kernel.home).filter((line) => line.includes('kaboom'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/"owner":"scene-tools".*faults\.test\.ts:\d+/)
})

test('a fault in a slash command is in the log with its stack and its plugin', async () => {
  const plugin = {
    name: 'clumsy',
    contributes: { 'slash-commands': ['stumble'] },
    setup: (ctx: { add(point: typeof SlashCommands, item: never): unknown }) =>
      void ctx.add(SlashCommands, {
        ...{ name: 'stumble', description: 'Stumbles', category: 'Session', surfaces: ['cli'] },
        run: async () => {
          throw new RangeError('ouch')
        },
      } as never),
  }
  await using kernel = await testKernel({
    plugins: ['conversation'],
    with: [plugin as never, fakeProvider(['hi']).plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  const talk = fakeTalk(kernel)
  await talk.type('/stumble')
  const lines = readLog(kernel.home).filter((line) => line.includes('ouch'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/"owner":"clumsy".*faults\.test\.ts:\d+/)
})

test('a fault while the arguments of a call are examined is in the log with its stack', async () => {
  const broken = {
    ...{ name: 'examined', description: 'Breaks', input: z.object({}), effect: 'write' as const, toolset: 'test' },
    reach: 'machine' as const,
    acts: () => {
      throw new TypeError('kaboom of acts')
    },
    run: async () => ({ text: 'ran' }),
  }
  const { kernel, tool } = await scene({ with: [toolPlugin(broken as never)] })
  expect((await tool('examined', {})).text).not.toBe('ran')
  const lines = readLog(kernel.home).filter((line) => line.includes('kaboom of acts'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/faults\.test\.ts:\d+/)
})

test('a fault of a platform that connects is in the log with its stack and its plugin', async () => {
  const pager: Platform = {
    name: 'pager',
    label: 'Pager',
    limits: { maxTextLength: 4096, idempotency: 'key' },
    settings: { ...platformSettingDefaults, dm_policy: 'open', allow_all: true },
    account: () => 'the only account',
    connect: async () => {
      throw new TypeError('no pager')
    },
    send: async () => ({ messageId: '1' }),
    probe: async () => true,
    close: async () => {},
  }
  const plugin = {
    name: 'pager-platform',
    kind: 'platform',
    contributes: { platforms: ['pager'] },
    setup: (ctx: { add(point: typeof Platforms, item: Platform): unknown }) => void ctx.add(Platforms, pager),
  }
  await using kernel = await testKernel({ plugins: ['gateway'], with: [plugin as never, fakeProvider(['hi']).plugin] })
  const gateway = kernel.use(Gateway)
  await gateway.start()
  await expect.poll(() => gateway.status().platforms[0]?.state).toBe('retrying')
  const lines = readLog(kernel.home).filter((line) => line.includes('no pager') && line.includes('faults.test.ts'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"owner":"pager-platform"')
})

type Setup = PluginContext<never>

/** The one line of the log about a fault, with its owner and a place in this file. */
function expectLogged(home: string, words: string, owner: string): void {
  const lines = readLog(home).filter((line) => line.includes(words) && line.includes('"error"'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`"owner":"${owner}"`)
  expect(lines[0]).toMatch(/faults\.test\.ts:\d+/)
}

test('a fault of a health check is in the log with its stack and its plugin', async () => {
  const check = async () => Promise.reject(new TypeError('no sonar'))
  const plugin = {
    name: 'own-checks',
    setup: (ctx: Setup) => void ctx.add(HealthChecks, { name: 'sonar', title: 'Sonar', check }),
  }
  await using kernel = await testKernel({ plugins: ['doctor'], with: [plugin] })
  expect((await kernel.run(['doctor'])).out).toContain('no sonar')
  expectLogged(kernel.home, 'no sonar', 'own-checks')
})

test('a fault of a part of the system prompt is in the log with its stack and its plugin', async () => {
  const text = async () => Promise.reject(new TypeError('no weather'))
  const plugin = {
    name: 'own-parts',
    setup: (ctx: Setup) => void ctx.add(PromptParts, { name: 'weather', tier: 'volatile', text }),
  }
  await using kernel = await testKernel({ plugins: ['prompt'], with: [plugin] })
  expect((await kernel.run(['prompt-size'])).out).toContain('no weather')
  expectLogged(kernel.home, 'no weather', 'own-parts')
})

test('a fault of a provider that is asked for its state is in the log with its stack and its plugin', async () => {
  const provider: ModelProvider = {
    name: 'own',
    label: 'Own',
    status: async () => Promise.reject(new TypeError('no state')),
    models: async () => [],
    stream: async function* () {},
  }
  const plugin = { name: 'own-provider', setup: (ctx: Setup) => void ctx.add(Providers, provider) }
  await using kernel = await testKernel({ plugins: ['auth-cli', 'models'], with: [plugin] })
  expect((await kernel.run(['auth', 'status', 'own'])).out).toContain('no state')
  expectLogged(kernel.home, 'no state', 'own-provider')
})
