import { decisionHook, transformHook } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { agreeTo } from '../support/consent.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const Opening = decisionHook<string>('door:opening', { verdict: () => ({ decision: 'deny' }), gate: true })
const Offering = transformHook<string[]>('door:offering', { gate: true })

/** A plugin that guards both gates; `broken` says how it fails. */
function guard(broken?: 'import' | 'config' | 'setup' | 'start' | 'need'): InlinePlugin {
  const fail = (stage: string) => {
    if (broken === stage) throw new Error(`no ${stage} today`)
  }
  return {
    name: 'watch',
    guards: [Opening.id, Offering.id],
    ...(broken === 'need' ? { requires: ['nowhere'] } : {}),
    ...(broken === 'config'
      ? { config: { '~standard': { validate: () => ({ issues: [{ message: 'no' }] }) } } as never }
      : {}),
    setup(ctx) {
      fail('setup')
      ctx.on(Opening, () => ({ allow: true }))
      ctx.onStart(() => fail('start'))
    },
  }
}

test('a gate that its guard watches opens', async () => {
  await using svc = await testKernel({ with: [guard()] })
  expect(svc.plugins.guards()).toContainEqual({ plugin: 'watch', gates: [Opening.id, Offering.id], state: 'running' })
  expect((await svc.call(Opening, 'please'))?.decision).toBe('allow')
  expect(await svc.call(Offering, ['a'])).toEqual(['a'])
})

test.each(['config', 'setup', 'start', 'need'] as const)(
  'a guard that fails at %s holds its gates shut',
  async (broken) => {
    await using svc = await testKernel({ with: [guard(broken)] })
    const verdict = await svc.call(Opening, 'please')
    expect(verdict?.decision).toBe('deny')
    expect(verdict?.reason).toContain('watch guards this and does not run')
    await expect(svc.call(Offering, ['a'])).rejects.toMatchObject({ code: 'GUARD_MISSING' })
  },
)

test('a gate that nothing guards denies', async () => {
  await using svc = await testKernel()
  expect((await svc.call(Opening, 'please'))?.decision).toBe('deny')
})

test('a guard that the user disables leaves its gate open and is listed as disabled', async () => {
  const config = { plugins: { disabled: ['watch'] } }
  await using svc = await testKernel({ with: [guard('setup')], config })
  expect(svc.plugins.guards()).toContainEqual(expect.objectContaining({ plugin: 'watch', state: 'disabled' }))
  expect((await svc.call(Opening, 'please'))?.decision).toBeUndefined()
})

test('a guard that another plugin unloads holds its gates shut: only the user opens them', async () => {
  await using svc = await testKernel({ with: [guard()] })
  await svc.plugins.disable('watch')
  expect((await svc.call(Opening, 'please'))?.decision).toBe('deny')
})

test('a guard is loaded with every other guard of its gate', async () => {
  const second: InlinePlugin = {
    name: 'second',
    guards: [Opening.id],
    setup: (ctx) => void ctx.on(Opening, () => ({ allow: false, reason: 'second says no' })),
  }
  await using svc = await testKernel({ with: [guard(), second] })
  expect((await svc.call(Opening, 'please'))?.reason).toBe('second says no')
})

test('a permanent plugin stays although config.yaml disables it', async () => {
  await using svc = await testKernel({ plugins: ['command-risk'], config: { plugins: { disabled: ['command-risk'] } } })
  expect(svc.plugins.info('command-risk')?.status).toBe('started')
})

/** A plugin that checks a gate besides its guard. */
function checker(broken = false): InlinePlugin {
  return {
    name: 'checker',
    checks: [Opening.id],
    setup(ctx) {
      if (broken) throw new Error('no setup today')
      ctx.on(Opening, () => ({ allow: true }))
    },
  }
}

test('a plugin that checks a gate is no guard: without one the gate denies', async () => {
  await using svc = await testKernel({ with: [checker()] })
  const verdict = await svc.call(Opening, 'please')
  expect(verdict).toMatchObject({ decision: 'deny', reason: expect.stringContaining('nothing guards door:opening') })
})

test('a plugin that checks a gate and fails holds it shut although its guard runs', async () => {
  for (const broken of [true, false]) {
    await using svc = await testKernel({ with: [guard(), checker(broken)] })
    expect((await svc.call(Opening, 'please'))?.decision).toBe(broken ? 'deny' : 'allow')
  }
})

test.for([
  ['installation', 'deny'],
  [true, undefined],
] as const)('a plugin of a user alone guards a gate %j: %j', async ([gate, decision]) => {
  const home = temporaryFolder()
  const id = 'door:locking'
  writeFiles(home, {
    'config.yaml': 'plugins: { enabled: [mine] }\n',
    'plugins/mine/plugin.json': {
      name: 'mine',
      version: '1.0.0',
      sdk: '^0.2.0',
      kind: 'hooks',
      description: 'Guards a gate.',
      guards: [id],
    },
    'plugins/mine/index.js': 'export default { setup() {} }',
  })
  agreeTo(home, 'mine')
  await using svc = await testKernel({ home, plugins: ['mine'] })
  const locking = decisionHook<string>(id, { verdict: () => ({ decision: 'deny' }), gate })
  expect((await svc.call(locking, 'please'))?.decision).toBe(decision)
})
