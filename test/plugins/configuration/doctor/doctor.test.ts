import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Home } from 'svc/sdk'
import { Health, HealthChecks } from 'svc/sdk/host'
import { Credentials } from 'svc/sdk/provider'
import { fakeProvider, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

type Report = {
  ok: boolean
  problems: number
  checks: { check: string; findings: { state: string; text: string; fix?: string }[] }[]
}

const config = { model: { provider: 'fake', default: 'fake-1' } }

async function doctor(kernel: Awaited<ReturnType<typeof testKernel>>) {
  const { code, out } = await kernel.run(['doctor', '--json'])
  const report = JSON.parse(out) as Report
  const findings = (check: string) => report.checks.find((each) => each.check === check)?.findings ?? []
  return { code, report, findings }
}

test('a sound installation has no problem, and says what it looked at', async () => {
  await using kernel = await testKernel({ plugins: ['doctor'], with: [fakeProvider(['hi']).plugin], config })
  const { code, report, findings } = await doctor(kernel)
  const named = report.checks.map(({ check }) => check)
  expect(named).toEqual([
    'config',
    'home',
    'model',
    'keys',
    'storage',
    'shared-store',
    'confinement',
    'voice',
    'plugins',
    'plugin-changes',
    'disk',
    'clock',
  ])
  expect(report).toMatchObject({ ok: true, problems: 0 })
  expect(findings('model')).toEqual([{ state: 'ok', text: 'fake-1 of fake answers.' }])
  expect(code).toBe(0)
  const { out } = await kernel.run(['doctor'])
  expect(out).toMatch(/^ok {7}Config .*\n[\s\S]*\nNo problems, warnings: \d\n$/)
})

test('without a model it says how to connect one', async () => {
  await using kernel = await testKernel({ plugins: ['doctor'] })
  const { code, findings } = await doctor(kernel)
  expect(code).toBe(1)
  expect(findings('model')).toMatchObject([{ state: 'problem', fix: expect.stringContaining('svc config set') }])
})

test('a damaged database and a key that was given up are named with what to do', async () => {
  await using kernel = await testKernel({ plugins: ['doctor'], with: [fakeProvider(['hi']).plugin], config })
  const folder = kernel.use(Home).path('data', 'x')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'broken.db'), Buffer.alloc(8192, 'no database '))
  const credentials = kernel.use(Credentials)
  await credentials.add({ provider: 'openai', key: 'sk-0123456789abcdef', label: 'work' })
  const key = await credentials.take('openai', [])
  key?.failed({ kind: 'auth', message: 'token_revoked', code: 'invalid_token', retryable: false })
  const { code, findings } = await doctor(kernel)
  expect(code).toBe(1)
  expect(findings('storage')).toMatchObject([
    { state: 'problem', text: expect.stringContaining('broken.db is damaged') },
  ])
  expect(findings('keys')[0]).toMatchObject({
    text: expect.stringContaining('work of openai'),
    fix: expect.stringMatching(/^svc auth/),
  })
})

test('a clock behind the files of the home, and a home that cannot be written, are problems', async () => {
  const clock = virtualClock()
  await using kernel = await testKernel({ plugins: ['doctor'], clock })
  const home = kernel.use(Home).dir
  const file = join(home, 'later')
  writeFileSync(file, '')
  utimesSync(file, new Date(clock.now() + 3 * 86_400_000), new Date(clock.now() + 3 * 86_400_000))
  expect((await doctor(kernel)).findings('clock')).toMatchObject([
    { state: 'problem', fix: expect.stringContaining('clock') },
  ])
  if (process.getuid?.() === 0) return
  chmodSync(home, 0o500)
  try {
    const findings = (await kernel.use(Health).run(new AbortController().signal)).find(({ check }) => check === 'disk')
    expect(findings).toMatchObject({ findings: [{ state: 'problem' }] })
  } finally {
    chmodSync(home, 0o700)
  }
})

test('plugins contribute checks; one that throws or never ends is its own problem', async () => {
  const clock = virtualClock()
  await using kernel = await testKernel({
    plugins: ['doctor'],
    clock,
    with: [
      {
        name: 'own-checks',
        setup(ctx) {
          ctx.add(HealthChecks, { name: 'throws', title: 'Throws', check: () => Promise.reject(new Error('no sonar')) })
          ctx.add(HealthChecks, { name: 'hangs', title: 'Hangs', check: () => new Promise(() => {}) })
          ctx.add(HealthChecks, {
            name: 'fine',
            title: 'Fine',
            order: 1,
            check: async () => [{ state: 'warning', text: 'Nearly.', fix: 'Wait.' }],
          })
        },
      },
    ],
  })
  const running = kernel.use(Health).run(new AbortController().signal)
  await clock.advance(10_001)
  const reports = await running
  expect(reports[0]).toMatchObject({ check: 'fine', findings: [{ state: 'warning' }] })
  const texts = reports.filter(({ check }) => ['throws', 'hangs'].includes(check)).flatMap(({ findings }) => findings)
  expect(texts.map(({ text }) => text)).toEqual([
    'This could not be checked: no sonar',
    'This could not be checked: it took longer than 10 s',
  ])
})

test('a repair that fails is named and stops no other; without --fix nothing is repaired', async () => {
  let done = 0
  await using kernel = await testKernel({
    plugins: ['doctor'],
    with: [
      {
        name: 'own-checks',
        setup(ctx) {
          ctx.add(HealthChecks, {
            name: 'own',
            title: 'Own',
            check: async () => [
              { state: 'warning', text: 'First.', fix: 'a', repair: () => Promise.reject(new Error('no tool for it')) },
              ...(done > 0
                ? []
                : [{ state: 'warning' as const, text: 'Second.', fix: 'b', repair: async () => `done ${++done}` }]),
            ],
          })
        },
      },
    ],
  })
  expect((await kernel.run(['doctor'])).out).toContain('To repair 2 of them: svc doctor --fix')
  expect(done).toBe(0)
  const { out } = await kernel.run(['doctor', '--fix', '--json'])
  const { repaired, checks } = JSON.parse(out)
  expect(repaired).toEqual([
    { check: 'own', text: 'First.', outcome: 'no tool for it', isFixed: false },
    { check: 'own', text: 'Second.', outcome: 'done 1', isFixed: true },
  ])
  expect(checks.find(({ check }: { check: string }) => check === 'own').findings).toEqual([
    { state: 'warning', text: 'First.', fix: 'a', canRepair: true },
  ])
})
