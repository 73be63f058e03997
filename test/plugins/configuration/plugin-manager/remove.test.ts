import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plugins, pluginsJson, readConfig, running, temporaryFolder, writePlugin } from './support.ts'

function homeWith(...names: string[]): string {
  const home = temporaryFolder()
  for (const name of names) writePlugin(join(home, 'plugins'), name)
  writeFileSync(join(home, 'config.yaml'), `config_version: 1\nplugins:\n  enabled: [${names.join(', ')}]\n`)
  return home
}

test('a removed plugin stops, goes to the trash, and can be had back', async () => {
  const home = homeWith('hello', 'other')
  await using chat = await running(home, { plugins: ['control', 'hello'] })
  const { code, out } = await plugins(home, ['remove', 'hello', '--yes'])
  expect(code).toBe(0)
  expect(out).toMatch(/chat \(process \d+\): stopped it/)
  expect(chat.plugins.info('hello')?.status).not.toBe('started')
  expect(existsSync(join(home, 'plugins', 'hello'))).toBe(false)
  expect(readConfig(home)).toContain('enabled: [other]')
  const back = /take that back: svc plugins install (\S+)/.exec(out)?.[1] as string
  expect(await plugins(home, ['install', back, '--yes', '--no-verify'])).toMatchObject({ code: 0 })
  expect(await pluginsJson(home, ['info', 'hello'])).toMatchObject({ origin: 'home', status: 'available' })
})

test('data and settings of a removed plugin stay, and how to delete them is said', async () => {
  const home = homeWith('hello')
  const data = join(home, 'data', 'hello')
  mkdirSync(data, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [hello]\n  entries:\n    hello: { tone: warm }\n')
  const { out } = await plugins(home, ['remove', 'hello', '--yes'])
  expect(out).toContain(`rm -r ${data}`)
  expect(out).toContain('svc config unset plugins.entries.hello')
  expect(existsSync(data)).toBe(true)
  expect(readConfig(home)).toContain('tone: warm')
})

test('nothing is removed without a yes', async () => {
  const home = homeWith('hello')
  expect((await plugins(home, ['remove', 'hello'])).err).toContain('--yes')
  expect(await plugins(home, ['remove', 'hello'], { interactive: true, answers: ['n'] })).toMatchObject({ code: 1 })
  expect(existsSync(join(home, 'plugins', 'hello'))).toBe(true)
})

test('a built-in plugin stays, and how to switch it off is said', async () => {
  const { code, err } = await plugins(temporaryFolder(), ['remove', 'chat', '--yes'])
  expect(code).toBe(1)
  expect(err).toContain('svc plugins disable chat')
})

test('what a program brought along is not removed', async () => {
  const visitor = { name: 'visitor', setup() {} }
  const { code, err } = await plugins(temporaryFolder(), ['remove', 'visitor', '--yes'], { with: [visitor] })
  expect(code).toBe(1)
  expect(err).toContain('belongs to the embedded')
})

test('when the folder cannot be moved, the switches are as before', async () => {
  const home = homeWith('hello')
  writeFileSync(join(home, 'trash'), 'a file in the way')
  const before = readConfig(home)
  const { code } = await plugins(home, ['remove', 'hello', '--yes'])
  expect(code).toBe(1)
  expect(readConfig(home)).toBe(before)
  expect(existsSync(join(home, 'plugins', 'hello'))).toBe(true)
})
