import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { expect, test } from 'vitest'
import { plugins, pluginsJson, readConfig, running, temporaryFolder, toolCode, writePlugin } from './support.ts'

const greeter = { contributes: { tools: ['greet'] }, env: [{ name: 'GREET_KEY', description: 'k', secret: true }] }

test('a foreign plugin is shown and agreed to once, on a terminal', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello', greeter, toolCode('greet', 'hi'))
  const refused = await plugins(home, ['enable', 'hello'], { interactive: true, answers: ['n'] })
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed.') })
  expect(refused.out).toContain('adds tools: greet')
  expect(refused.out).toContain('reads environment variables: GREET_KEY (secret)')
  expect(() => readConfig(home)).toThrow()
  const agreed = await plugins(home, ['enable', 'hello'], { interactive: true, answers: ['y'] })
  expect(agreed).toMatchObject({ code: 0, out: expect.stringContaining('hello is on.') })
  expect(readConfig(home)).toContain('enabled: [hello]')
  await plugins(home, ['disable', 'hello'], { interactive: true })
  const again = await plugins(home, ['enable', 'hello'], { interactive: true })
  expect(again).toMatchObject({ code: 0, err: '' })
})

test('off a terminal a plugin is enabled with --yes, and comments in config.yaml stay', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello')
  const before =
    '# mine\nconfig_version: 1\nplugins:\n  # for work\n  enabled:\n    - other # keep\n  disabled: [hello]\n'
  writeFileSync(join(home, 'config.yaml'), before)
  expect(await plugins(home, ['enable', 'hello', '--yes'])).toMatchObject({ code: 0 })
  const after = readConfig(home)
  expect(after).toContain('# mine')
  expect(after).toContain('  # for work\n  enabled:\n    - other # keep\n    - hello\n')
  expect(after).not.toContain('disabled')
})

test('a built-in plugin is switched off and on again, and the second time changes nothing', async () => {
  const home = temporaryFolder()
  const off = await plugins(home, ['disable', 'tool-terminal'])
  expect(off).toMatchObject({ code: 0, out: 'tool-terminal is off. To take that back: svc config undo\n' })
  expect(readConfig(home)).toContain('disabled: [tool-terminal]')
  expect((await plugins(home, ['disable', 'tool-terminal'])).out).toBe('tool-terminal was off already.\n')
  expect(await pluginsJson(home, ['enable', 'tool-terminal'])).toEqual({
    name: 'tool-terminal',
    changed: true,
    missing: [],
    processes: [],
  })
  expect((await plugins(home, ['enable', 'tool-terminal'])).out).toBe('tool-terminal was on already.\n')
})

test('a running process takes up the change, and says what it did', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello', greeter, toolCode('greet', 'hi'))
  await using chat = await running(home)
  await chat.follow()
  const on = await plugins(home, ['enable', 'hello', '--yes'])
  expect(on).toMatchObject({ code: 0, err: '' })
  expect(on.out).toContain(`  chat (process ${process.pid}): runs it (generation 1)\n`)
  expect(chat.all(Tools).get('greet')).toBeDefined()
  const off = await pluginsJson<{ processes: unknown[] }>(home, ['disable', 'hello'])
  expect(off.processes).toHaveLength(1)
  expect(chat.all(Tools).get('greet')).toBeUndefined()
})

test('a plugin that fails in a running process makes the command fail, with the reason', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'broken', {}, `setup() { throw new Error('no luck today') }`)
  await using chat = await running(home)
  await chat.follow()
  const { code, out } = await plugins(home, ['enable', 'broken', '--yes'])
  expect(code).toBe(1)
  expect(out).toMatch(/chat \(process \d+\): .*no luck today/)
})

test('a plugin that cannot run as it is is not enabled', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'future', { sdk: '^9.0.0' })
  const { code, err } = await plugins(home, ['enable', 'future'])
  expect(code).toBe(1)
  expect(err).toContain('future cannot run: it was written for a newer SDK')
  expect(() => readConfig(home)).toThrow()
})

test('a service that no one provides is pointed out, and the plugin stays out until someone does', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'needy', { requires: ['coffee', 'clock', 'storage'] })
  const { code, out } = await plugins(home, ['enable', 'needy', '--yes'])
  expect(code).toBe(0)
  expect(out).toContain('it needs "coffee", which no plugin that is on provides')
})

test('disabling what others need says who is taken along, and needs a yes', async () => {
  const home = temporaryFolder()
  const refused = await plugins(home, ['disable', 'sessions'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/agent.*chat.* cannot run without sessions/) })
  expect(refused.err).toContain('--yes')
  const declined = await plugins(home, ['disable', 'sessions'], { interactive: true, answers: [''] })
  expect(declined.code).toBe(1)
  expect(() => readConfig(home)).toThrow()
  expect((await plugins(home, ['disable', 'sessions', '--yes'])).out).toMatch(/Left out with it: .*agent.*chat/)
})

test('a foreign plugin that stands in for a built-in one is taken into account', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'my-sessions', { provides: ['sessions'] })
  await plugins(home, ['enable', 'my-sessions', '--yes'])
  const off = await pluginsJson<{ along: string[] }>(home, ['disable', 'sessions'])
  expect(off.along).toEqual([])
})

test.for(['plugin-manager', 'config', 'control'])(
  '%s cannot be disabled by the command that needs it',
  async (name) => {
    const home = temporaryFolder()
    const { code, err } = await plugins(home, ['disable', name, '--yes'])
    expect(code).toBe(1)
    expect(err).toContain('PLUGIN_NEEDED')
    expect(() => readConfig(home)).toThrow()
  },
)

test('a switch in config.yaml that is not a list is left alone', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  disabled: tool-files\n')
  const { code, err } = await plugins(home, ['disable', 'tool-terminal'])
  expect(code).toBe(1)
  expect(err).toContain('plugins.disabled')
  expect(readConfig(home)).toBe('plugins:\n  disabled: tool-files\n')
})
