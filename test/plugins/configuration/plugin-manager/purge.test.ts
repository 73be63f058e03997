import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { expect, test } from 'vitest'
import { plugins, readConfig, running, temporaryFolder, toolCode, writePlugin } from './support.ts'

const yes = ['--yes', '--no-verify']
const manifest = {
  contributes: { tools: ['greet'] },
  env: [{ name: 'HELLO_KEY', description: 'k', secret: true }],
}

/** A home with a plugin that has data, settings, a variable and an earlier version. */
async function prepare(): Promise<string> {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'hello', manifest, toolCode('greet', 'hi'))
  await plugins(home, ['install', source, ...yes])
  mkdirSync(join(home, 'data', 'hello'))
  writeFileSync(join(home, 'data', 'hello', 'notes.txt'), 'mine')
  writeFileSync(join(home, 'config.yaml'), `${readConfig(home)}  entries:\n    hello: { tone: warm }\n`)
  writeFileSync(join(home, '.env'), 'HELLO_KEY=abc\n')
  await plugins(home, ['list'])
  writePlugin(folder, 'hello', { ...manifest, version: '1.1.0' }, toolCode('greet', 'hi'))
  await plugins(home, ['update', 'hello', ...yes])
  return home
}

test('a purge removes data, settings, consents, versions and compiled code, and a restore brings them back', async () => {
  const home = await prepare()
  await using chat = await running(home, { plugins: ['control', 'hello'] })
  writeFileSync(join(home, 'cache', 'plugins', 'plugins.pack'), 'the code of hello')
  const { code, out } = await plugins(home, ['remove', 'hello', '--purge', '--yes'])
  expect(code).toBe(0)
  expect(out).toContain('To take that back: svc plugins restore hello')
  expect(out).toContain('HELLO_KEY stays in .env; to delete it too: svc config unset HELLO_KEY')
  expect(chat.plugins.info('hello')?.status).not.toBe('started')
  expect(existsSync(join(home, 'data', 'hello'))).toBe(false)
  expect(readConfig(home)).not.toContain('hello')
  expect(readFileSync(join(home, 'consents', 'consents.json'), 'utf8')).not.toContain('hello')
  expect(readdirSync(join(home, 'plugins', '.versions'))).toEqual([])
  expect(existsSync(join(home, 'data', 'plugin-manager', 'installed', 'hello.json'))).toBe(false)
  expect(readdirSync(join(home, 'cache', 'plugins')).filter((name) => /^hello-|\.pack$/.test(name))).toEqual([])
  const back = await plugins(home, ['restore', 'hello', '--yes'])
  expect(back).toMatchObject({ code: 0, out: expect.stringMatching(/hello 1\.1\.0 is back.*\nhello is on/) })
  expect(readFileSync(join(home, 'data', 'hello', 'notes.txt'), 'utf8')).toBe('mine')
  expect(readConfig(home)).toMatch(/hello:\s*\{?\s*tone: warm/)
  expect(
    await chat
      .all(Tools)
      .get('greet')
      ?.run({}, {} as never),
  ).toBe('hi')
  expect((await plugins(home, ['restore', 'hello', '--yes'])).err).toContain('No purged plugin "hello"')
  expect((await plugins(home, ['update', 'hello', ...yes])).out).toContain('has this code already')
})

test('a purge asks, says what it means, and without a terminal refuses', async () => {
  const home = await prepare()
  const words = ['remove', 'hello', '--purge']
  expect((await plugins(home, words)).err).toContain('Remove hello with its data, settings and consents?')
  expect(await plugins(home, words, { interactive: true, answers: ['n'] })).toMatchObject({ code: 1 })
  expect(readFileSync(join(home, 'data', 'hello', 'notes.txt'), 'utf8')).toBe('mine')
})

test('a copy in the trash that was changed is not brought back', async () => {
  const home = await prepare()
  const { out } = await plugins(home, ['remove', 'hello', '--purge', '--yes'])
  const copy = /A copy of all of it is in (\S+);/.exec(out)?.[1] ?? ''
  writeFileSync(join(copy, 'plugin', 'index.js'), 'process.exit(1)\n')
  expect((await plugins(home, ['restore', 'hello', '--yes'])).err).toContain('was changed since hello was removed')
  expect(existsSync(join(home, 'plugins', 'hello'))).toBe(false)
})
