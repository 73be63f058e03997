import { expect, test } from 'vitest'
import { kernelUnder, machineWith } from '../support/machine.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const manifest = { name: 'policy', version: '1.0.0', sdk: '^0.1.0', kind: 'service', description: 'A policy.' }
const nothing = { file: '/nowhere/at/all.yaml', owner: 0 }

interface Policy {
  readonly code?: string
  readonly manifest?: object
  readonly plugins?: string
}

/** A kernel whose home has, or lacks, the plugin that must run. */
async function requiring({ code = 'export default { setup() {} }', plugins = 'enabled: [policy]', ...more }: Policy) {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': `plugins: { required: [policy], ${plugins} }\n` })
  const files = { 'plugins/policy/plugin.json': { ...manifest, ...more.manifest }, 'plugins/policy/index.js': code }
  if (code) writeFiles(home, files)
  return { home, kernel: await kernelUnder({ machine: nothing, home }, ['config']) }
}

test('a required plugin is loaded whatever the command is, and then nothing is unmet', async () => {
  const { kernel } = await requiring({})
  expect(kernel.plugins.info('policy')?.status).toBe('started')
  expect(kernel.unmet()).toEqual([])
})

test.for([
  ['is missing', { code: '' }, 'there is no such plugin', 'svc plugins install policy'],
  ['is not enabled', { plugins: 'enabled: []' }, 'not enabled', 'svc plugins enable policy'],
  ['is disabled', { plugins: 'enabled: [policy], disabled: [policy]' }, 'disabled', 'svc plugins enable policy'],
  ['is no code', { code: 'export default {{{' }, 'import:', 'svc plugins info policy'],
  ['fails at import', { code: 'throw new Error("no luck")' }, 'no luck', 'svc plugins info policy'],
  [
    'fails in its setup',
    { code: 'export default { setup() { throw new Error("no luck") } }' },
    'no luck',
    'svc plugins info policy',
  ],
  [
    'fails at its start',
    { code: 'export default { setup(ctx) { ctx.onStart(() => { throw new Error("no luck") }) } }' },
    'no luck',
    'svc plugins info policy',
  ],
  ['lacks a service', { manifest: { requires: ['coffee'] } }, 'nothing provides "coffee"', 'svc plugins info policy'],
  ['is for another SDK', { manifest: { sdk: '^9.0.0' } }, 'newer SDK', 'svc plugins info policy'],
  ['lies in its manifest', { manifest: { provides: ['x'] } }, 'promised but missing', 'svc plugins info policy'],
] as [string, Policy, string, string][])(
  'a required plugin that %s is named with the reason, the file and what to do',
  async ([, policy, why, fix]) => {
    const { home, kernel } = await requiring(policy)
    expect(kernel.unmet()).toEqual([{ plugin: 'policy', reason: expect.stringContaining(why), fix }])
    expect(kernel.unmet()[0]?.reason).toContain(`plugins.required in ${home}`)
  },
)

test('a required plugin whose code changed is unmet until a person agrees', async () => {
  const { home } = await requiring({})
  writeFiles(home, { 'plugins/policy/index.js': 'export default { setup() { /* nothing is checked */ } }' })
  const kernel = await kernelUnder({ machine: nothing, home }, ['config'])
  expect(kernel.unmet()).toEqual([
    { plugin: 'policy', reason: expect.stringContaining('changed since you agreed'), fix: 'svc plugins enable policy' },
  ])
})

test('a required plugin that is unloaded while the program runs is unmet from then on', async () => {
  const { kernel } = await requiring({})
  await kernel.disable('policy')
  expect(kernel.unmet()).toMatchObject([{ plugin: 'policy' }])
})

test('a home or a profile cannot take back what the machine requires, and the file of the machine is named', async () => {
  const home = temporaryFolder()
  const config = 'plugins: { required: [], disabled: [agent] }\n'
  writeFiles(home, { 'config.yaml': config, 'profiles/other/config.yaml': config })
  const machine = machineWith('plugins: { required: [agent] }\n')
  for (const profile of ['default', 'other']) {
    const kernel = await kernelUnder({ machine, home, profile }, ['config'])
    expect(kernel.unmet()).toMatchObject([{ plugin: 'agent', reason: expect.stringContaining(machine.file) }])
  }
})

test.for(['policy', 'true', '{ policy: 1 }', '[1]', '[[policy]]'])(
  'plugins.required: %s is no list, and nothing runs',
  async (value) => {
    const kernel = await kernelUnder({ machine: machineWith(`plugins: { required: ${value} }\n`) }, ['config'])
    expect(kernel.unmet()).toMatchObject([{ plugin: '', reason: expect.stringContaining('is not a list') }])
  },
)
