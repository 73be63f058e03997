import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notifyHook } from 'svc/sdk'
import { expect, test } from 'vitest'
import { plugins, pluginsJson, running, temporaryFolder, writePlugin } from './support.ts'

const env = [
  { name: 'HELLO_API_KEY', description: 'Key for the greeter.', secret: true },
  { name: 'HELLO_URL', description: 'Where the greeter is.' },
]

test('all about a plugin is shown, of secrets only whether they are set', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello', { env, requires: ['nobody-has-this'], with: ['agent'] })
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [hello]\n  entries:\n    hello: { pin: 12345678 }\n')
  writeFileSync(join(home, '.env'), 'HELLO_API_KEY=top-secret-value\n')
  const { out, code } = await plugins(home, ['info', 'hello'], { env: { HELLO_URL: 'http://greeter' } })
  expect(code).toBe(0)
  const lines = out.split('\n').map((line) => line.replace(/ +/g, ' '))
  expect(lines).toEqual(
    expect.arrayContaining([
      'hello 1.0.0, tool',
      `from home, ${join(home, 'plugins', 'hello')}`,
      'requires nobody-has-this (nothing provides it)',
      'comes with agent',
      'config block plugins.entries.hello (set: pin)',
      'environment HELLO_API_KEY: set in .env; Key for the greeter.',
      ' HELLO_URL: set in the environment; Where the greeter is.',
      `data ${join(home, 'data', 'hello')}`,
      'next install or enable a plugin that provides "nobody-has-this"',
    ]),
  )
  expect(out).not.toMatch(/top-secret-value|12345678|http:\/\/greeter/)
})

test.for([
  ['a plugin that is off', { plugin: {}, config: '' }, 'svc plugins enable hello'],
  ['a secret that is missing', { plugin: { env }, config: 'on' }, 'svc config set HELLO_API_KEY <value>'],
  ['a plugin that is fine', { plugin: {}, config: 'on' }, 'nothing; it runs when something needs it'],
  ['a manifest that is wrong', { plugin: { sdk: 'soon' }, config: 'on' }, 'plugin.json: "sdk" is "soon"'],
] as const)('the next step for %s is named', async ([, { plugin, config }, next]) => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello', plugin)
  if (config) writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [hello]\n')
  if (config) await plugins(home, ['list'])
  const portrait = await pluginsJson<{ next: string }>(home, ['info', 'hello'])
  expect(portrait.next).toContain(next)
})

test('what a plugin holds and what went wrong comes from the process that runs it', async () => {
  const home = temporaryFolder()
  const code = `setup(ctx) { ctx.on(sdk.notify('a:b'), () => { throw new Error('oops') }) }`
  writePlugin(join(home, 'plugins'), 'hello', {}, code)
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [hello]\n')
  await using chat = await running(home, { plugins: ['control', 'hello'] })
  await chat.call(notifyHook<string>('a:b'), 'x')
  const { out } = await plugins(home, ['info', 'hello'])
  expect(out).toMatch(/running in +chat \(process \d+\): started, generation 1; holds listeners: 1/)
  expect(out).toMatch(/problems +[\d: -]+ hook: a:b: oops \(HOOK_FAILED\)/)
  expect(out).toMatch(/next +mend what went wrong, then: svc plugins reload hello/)
})

test('a name that does not exist is answered with the nearest one', async () => {
  const { code, err } = await plugins(temporaryFolder(), ['info', 'sesions'])
  expect(code).toBe(1)
  expect(err).toContain('Did you mean sessions?')
})
