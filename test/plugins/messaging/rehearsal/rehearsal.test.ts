import { type DryRunStep, PlatformDryRuns } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { configurationSteps } from '../../../../plugins/messaging/rehearsal/configuration.ts'

async function rehearse(platform: string, config: object = {}, chaos: readonly string[] = []) {
  const kernel = await testKernel({ plugins: ['rehearsal'], config: { platforms: { [platform]: config } } })
  onTestFinished(() => kernel.stop())
  return kernel.use(PlatformDryRuns).run(platform, { chaos })
}

const bad = (steps: readonly DryRunStep[]) => steps.filter(({ result }) => result !== 'ok')

test('a platform that is set up well is rehearsed without a complaint, faults included', {
  timeout: 60_000,
}, async () => {
  const steps = await rehearse('ntfy', {}, ['busy', 'unavailable'])
  expect(bad(steps)).toEqual([])
  expect(steps.map(({ name }) => name)).toEqual([
    'home chat',
    'connects',
    'a stranger writes',
    'a friend writes',
    'a long text with marks',
    'a send goes wrong: busy',
    'a send goes wrong: unavailable',
  ])
})

test('a platform or fault that there is not is refused with those there are', async () => {
  await expect(rehearse('pigeon')).rejects.toThrow('There is no stand-in for "pigeon". There are: ')
  await expect(rehearse('ntfy', {}, ['meteor'])).rejects.toThrow('no fault "meteor". It has: ')
})

test.for([
  ['open door', 'failed', { dm_policy: 'open' }],
  ['open door', 'warning', { allow_from: ['*'] }],
  ['switched off', 'warning', { enabled: false }],
  ['closed door', 'warning', { dm_policy: 'allowlist' }],
  ['a name instead of an id', 'warning', { allow_from: ['Ada Lovelace'] }],
  ['answers everything', 'warning', { require_mention: false }],
  ['a pattern that cannot be read', 'failed', { mention_patterns: ['(svc'] }],
  ['an admin who may not write', 'warning', { dm_policy: 'allowlist', allow_from: ['1'], allow_admin_from: ['2'] }],
  ['files of any size', 'warning', { max_attachment_bytes: 0 }],
  ['answers other programs', 'warning', { allow_bots: 'all' }],
] as const)('a configuration with the mistake "%s" (%s) is found out', ([name, result, block]) => {
  const found = configurationSteps('ntfy', block)
  expect(found).toContainEqual(expect.objectContaining({ name, result }))
  expect(found.find((step) => step.name === name)?.advice).toBeTruthy()
})

test.for(['telegram', 'sms'])(
  '%s is rehearsed with every fault that its stand-in has',
  { timeout: 180_000 },
  async (name) => {
    const kernel = await testKernel({ plugins: ['rehearsal'], config: { platforms: { [name]: {} } } })
    onTestFinished(() => kernel.stop())
    const faults = await kernel.use(PlatformDryRuns).faults(name)
    const steps = await kernel.use(PlatformDryRuns).run(name, { chaos: faults })
    expect(steps.filter(({ result }) => result === 'failed')).toEqual([])
    expect(steps.length).toBeGreaterThan(faults.length + 3)
  },
)

test('without a home chat the rehearsal says what that is needed for, and how to set one', () => {
  const step = configurationSteps('ntfy', {}).find(({ name }) => name === 'home chat')
  expect(step).toMatchObject({ detail: expect.stringMatching(/^Not set\. It is needed only for/) })
  expect(step?.advice).toContain('/sethome')
  expect(configurationSteps('ntfy', { home_channel: 'x' }).map(({ name }) => name)).not.toContain('home chat')
})
