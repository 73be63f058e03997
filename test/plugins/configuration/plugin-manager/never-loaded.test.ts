import { join } from 'node:path'
import { SlashCommands } from 'svc/sdk'
import { conformance, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { plugins, temporaryFolder, writePlugin } from './support.ts'

const command = `setup(ctx) {
  ctx.add(sdk.SlashCommands, { name: 'hand', description: 'Hand it on', category: 'Session', run: async () => 'handed' })
}`

/** `extra` is part of plugin.json. */
function home(extra: object, code?: string): string {
  const made = temporaryFolder()
  writePlugin(join(made, 'plugins'), 'lonely', { kind: 'hooks', ...extra }, code)
  return made
}

test('a plugin that nothing loads is not called on, ready or in order', async () => {
  const place = home({ with: [] })
  const said = await plugins(place, ['enable', 'lonely', '--yes'])
  expect(said.out).toMatch(/lonely is named in plugins\.enabled, but does not run: nothing loads it/)
  expect(said.out).not.toMatch(/lonely is on/)
  expect((await plugins(place, ['info', 'lonely'])).out).toMatch(/next +mend plugin\.json .*nothing loads it/)
  expect((await plugins(place, ['list'])).out).toMatch(/lonely .*broken +nothing loads it/)
  const report = await conformance({ dir: join(place, 'plugins', 'lonely') })
  expect(report.ok).toBe(false)
  expect(report.cases.find(({ result }) => result === 'failed')?.reason).toMatch(/nothing loads it/)
})

test('a service in "with" that no plugin provides loads nothing either, and is named', async () => {
  const said = await plugins(home({ with: ['agent-loop'] }), ['enable', 'lonely', '--yes'])
  expect(said.out).toMatch(/"with" names "agent-loop", which no plugin provides/)
})

test('a service of the kernel loads nothing, and a name of a plugin is told from what that provides', async () => {
  const said = await plugins(home({ with: ['config'] }), ['enable', 'lonely', '--yes'])
  expect(said.out).toMatch(
    /"with" names "config", which no plugin provides; "config" is the name of a plugin, which provides "config-file"/,
  )
  const place = home({ with: ['clock'] })
  expect((await plugins(place, ['enable', 'lonely', '--yes'])).out).toMatch(/"with" names "clock", which no plugin/)
  const report = await conformance({ dir: join(place, 'plugins', 'lonely') })
  expect(report.cases.find(({ result }) => result === 'failed')?.reason).toMatch(/nothing loads it/)
})

test('a plugin with contributions alone is loaded along with what reads them', async () => {
  const place = home({ with: [], contributes: { 'slash-commands': ['hand'] } }, command)
  expect((await plugins(place, ['enable', 'lonely', '--yes'])).out).toMatch(/lonely is on/)
  expect((await plugins(place, ['info', 'lonely'])).out).toMatch(/comes with +conversations/)
  const kernel = await testKernel({ home: place, plugins: ['conversation'] })
  onTestFinished(() => kernel.stop())
  expect(kernel.all(SlashCommands).get('hand')).toBeDefined()
  expect(await fakeTalk(kernel).type('/hand')).toBe('handed')
})

test('a plugin that would be left out for what another one has is not called on', async () => {
  const place = home({ with: [], provides: ['composers'] })
  const said = await plugins(place, ['enable', 'lonely', '--yes'])
  expect(said.out).toMatch(
    /does not run: it provides "composers", as tui-composer does; to use it: svc plugins disable/,
  )
})
