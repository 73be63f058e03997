import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, type Tool, Tools } from 'svc/sdk'
import { ShellBackends } from 'svc/sdk/shell'
import { testKernel } from 'svc/sdk/testing'
import { WebSearchProviders } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const tool = (name: string, toolset: string, missing?: string): Tool => ({
  name,
  toolset,
  reach: 'nothing',
  description: name,
  input: z.object({}),
  effect: 'pure',
  run: async () => name,
  missing: () => missing,
})
const ALL = [
  tool('alpha_read', 'alpha'),
  tool('beta_run', 'beta'),
  tool('gamma_find', 'gamma', 'needs GAMMA_KEY'),
  { ...tool('fake_admin', 'discord_admin'), scope: { optIn: true } },
]

/** Tools come with an agent; this one never runs. */
const agent = {
  name: 'fake-agent',
  provides: ['agent'],
  contributes: {
    tools: ALL.map(({ name }) => name),
    'web-backends': ['locked-search', 'fake-search'],
    terminals: ['fake-place'],
  },
  setup(ctx) {
    ctx.provide(Agent, () => ({}) as Agent)
    for (const each of ALL) ctx.add(Tools, each)
    ctx.add(WebSearchProviders, { name: 'locked-search', label: 'Locked', missing: () => 'needs GAMMA_KEY' })
    ctx.add(WebSearchProviders, { name: 'fake-search', label: 'Fake', missing: () => undefined })
    ctx.add(ShellBackends, {
      name: 'fake-place',
      isolated: () => false,
      status: async () => ({ ready: true, detail: '' }),
      open: () => Promise.reject(new Error('not here')),
    })
  },
} satisfies NonNullable<NonNullable<Parameters<typeof testKernel>[0]>['with']>[number]

async function open(text = '') {
  const kernel = await testKernel({ plugins: [] })
  if (text) writeFileSync(join(kernel.home, 'config.yaml'), text)
  const { home } = kernel
  const run = async (argv: string[], answers?: string[]) => {
    const one = await testKernel({ plugins: ['tools-cli'], with: [agent], home })
    try {
      return await one.run(['tools', ...argv], answers ? { interactive: true, answers } : {})
    } finally {
      await one.stop()
    }
  }
  onTestFinished(() => kernel.stop())
  const file = () => (existsSync(join(home, 'config.yaml')) ? readFileSync(join(home, 'config.yaml'), 'utf8') : '')
  return { run, file }
}

test('svc tools list shows toolsets, what is off and why, and what is missing', async () => {
  const { run } = await open('tools:\n  disabled: [beta, betta]\n')
  const { code, out, err } = await run(['list'])
  expect(code).toBe(0)
  const lines = [
    '+ alpha            alpha_read',
    '- beta             beta_run  [tools.disabled names it]',
    '- discord_admin    fake_admin  [it is off unless tools.enabled names it]',
    '+ gamma            gamma_find (needs GAMMA_KEY)',
  ]
  expect(out.split('\n').filter((line) => lines.includes(line))).toEqual(lines)
  expect(err).toContain('"betta" under tools, but no loaded plugin brings it')
})

test('svc tools is the list when no one sits there, and JSON when it is asked for', async () => {
  const { run } = await open()
  expect((await run([])).out).toContain('+ beta')
  const listed = JSON.parse((await run(['--surface', 'webhook', '--json'])).out)
  expect(listed.surface).toBe('webhook')
  expect(listed.toolsets.find((each: { name: string }) => each.name === 'alpha')).toEqual({
    name: 'alpha',
    on: false,
    because: 'the surface webhook goes without it',
    tools: [{ name: 'alpha_read', on: false }],
  })
})

test('the tools of a platform are shown as they are there: its own, and few where events of machines come in', async () => {
  const { run } = await open('tools:\n  enabled: [homeassistant]\n')
  const listed = JSON.parse((await run(['--surface', 'homeassistant', '--json'])).out)
  const on = listed.toolsets.flatMap((each: { name: string; on: boolean }) => (each.on ? [each.name] : []))
  expect(on).toContain('homeassistant')
  expect(on).not.toContain('alpha')
})

test('disable and enable write one line, keep the comments and say how to take it back', async () => {
  const { run, file } = await open('# mine\nmodel:\n  provider: demo # local\n')
  expect(await run(['disable', 'beta', 'alpha'])).toEqual({
    code: 0,
    out: 'beta, alpha: off everywhere. Take it back with `svc config undo`.\n',
    err: '',
  })
  expect(file()).toContain('# mine\nmodel:\n  provider: demo # local\n')
  expect((await run(['list'])).out).toMatch(/^- alpha .*\n- beta/m)
  expect((await run(['disable', 'beta'])).out).toBe('beta: off everywhere. No change.\n')
  expect((await run(['enable', 'beta'])).out).toContain('beta: on everywhere.')
  expect((await run(['list'])).out).toMatch(/^- alpha .*\n\+ beta/m)
})

test('a surface may go without a tool that others have', async () => {
  const { run } = await open()
  await run(['disable', 'gamma', '--surface', 'api'])
  expect((await run(['list', '--surface', 'api'])).out).toContain('- gamma')
  expect((await run(['list'])).out).toContain('+ gamma')
})

test('a typo is answered with what was meant, and nothing is written', async () => {
  const { run, file } = await open()
  const wrong = await run(['disable', 'beta', 'gama'])
  expect(wrong.code).toBe(1)
  expect(wrong.err).toContain('no toolset and no tool "gama". Did you mean gamma?')
  expect((await run(['disable', 'beta', '--surface', 'webhok'])).err).toContain('Did you mean webhook?')
  expect(file()).toBe('')
})

test('what is off everywhere is not switched on for one surface', async () => {
  const { run } = await open('tools:\n  disabled: [beta]\n')
  const { code, err } = await run(['enable', 'beta', '--surface', 'api'])
  expect(code).toBe(1)
  expect(err).toContain('svc tools enable beta')
})

test('the menu switches toolsets and chooses backends, and writes once when it is saved', async () => {
  const { run, file } = await open()
  const { code, out } = await run([], ['beta', 'nonsense', 'w', 'fake-search', 't', 'fake-place', 's'])
  expect(code).toBe(0)
  expect(out).toMatch(/^ +\d+ - beta {13}beta_run {2}\[not saved yet\]$/m)
  expect(out).toContain('There is no toolset "nonsense"')
  expect(out).toMatch(/ - locked-search +Locked: needs GAMMA_KEY/)
  expect(out).toContain('Written. Take it back with `svc config undo`.')
  expect(file()).toContain('disabled:')
  expect(file()).toMatch(/web:\n +backend: fake-search/)
  expect(file()).toMatch(/terminal:\n +backend: fake-place/)
})

test('a menu that is left writes nothing, and a toggle twice is none', async () => {
  const { run, file } = await open()
  expect((await run([], ['alpha', 'q'])).out).toContain('Nothing was written.')
  expect((await run([], ['alpha', '1', '1', 'alpha', 's'])).out).toContain('There was nothing to write.')
  expect((await run([], ['alpha'])).code).toBe(0)
  expect(file()).toBe('')
})
