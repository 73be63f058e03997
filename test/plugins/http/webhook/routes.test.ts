import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { afterEach, expect, test } from 'vitest'
import { SECRET, yards } from './yard.ts'

const open = yards(afterEach)
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test.for([
  ['no secret', {}, 'has no secret'],
  ['an empty secret', { secret: ' ' }, 'has no secret'],
  ['a variable that is not set', { secret: '${NOT_SET_ANYWHERE}' }, 'has no secret'],
  ['a secret of one character', { secret: 'x', style: 'gitlab' }, 'can be guessed'],
  ['a secret of six characters', { secret: 'abc123' }, '16 random ones'],
  ['a secret of one repeated character', { secret: 'aaaaaaaaaaaaaaaaaaaa' }, 'only 1 different'],
  ['the secret of a route of another style', { secret: SECRET, style: 'generic-v1' }, 'signs in another style'],
  ['the word for no check at all', { secret: 'INSECURE_NO_AUTH' }, 'has no secret'],
  ['a named variable that is not set', { secret_env: 'HOOK_SECRET' }, 'set HOOK_SECRET'],
  ['nothing to say without the agent', { secret: SECRET, deliver_only: true }, 'needs a prompt and a target'],
  ['no pull request for comments', { secret: SECRET, deliver: 'github_comment' }, 'deliver_extra.repo'],
  ['a script outside of its folder', { secret: SECRET, script: '../../bin/sh' }, 'no path in the folder scripts'],
  ['a filter that is none', { secret: SECRET, filters: { field: 'a', resembles: 1 } }, 'cannot resemble'],
  ['a target that is none', { secret: SECRET, deliver: 'Tele gram' }, 'cannot deliver'],
] as const)('webhooks do not start with a route that has %s, and the route is named', async ([, route, reason]) => {
  const { platform, ear } = await open({ routes: { good: { secret: SECRET }, faulty: route } })
  const error = await failing(platform.connect(ear))
  expect(error).toMatchObject({ code: 'WEBHOOK_ROUTE' })
  expect(String(error)).toContain('"faulty"')
  expect(String(error)).toContain(reason)
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
})

test('a secret may stand in the environment, for one route or for all', async () => {
  const { open: listen, send } = await open({
    routes: { own: { secret_env: 'OWN_SECRET' }, shared: {} },
    env: { OWN_SECRET: 'the own secret, random', WEBHOOK_SECRET: 'the shared secret, random' },
  })
  await listen()
  expect((await send('own', { secret: 'the own secret, random' })).status).toBe(202)
  expect((await send('own', { secret: 'the shared secret, random' })).status).toBe(401)
  expect((await send('shared', { secret: 'the shared secret, random' })).status).toBe(202)
})

test('routes that are switched off need not be complete', async () => {
  const { open: listen } = await open({ routes: { later: { enabled: false } } })
  expect(await listen()).toContain('http://127.0.0.1:')
})

test('without routes nothing listens, unless that is asked for', async () => {
  const none = await open({ routes: {} })
  expect(none.platform.missing?.()).toContain('svc webhook add')
  expect((await open({ routes: {}, config: { enabled: true } })).platform.missing?.()).toBeUndefined()
  expect((await open({ routes: {}, env: { WEBHOOK_ENABLED: 'yes' } })).platform.missing?.()).toBeUndefined()
  expect((await open()).platform.missing?.()).toBeUndefined()
})

test('a signed route may listen where others reach it', async () => {
  const { open: listen, platform } = await open({ config: { host: '0.0.0.0' } })
  await listen()
  expect(await platform.probe()).toBe(true)
})

test('a route that is added while svc runs takes events at once, and none any more when it was removed', async () => {
  const { open: listen, kernel, send, ear } = await open({ config: { enabled: true }, routes: {} })
  await listen()
  const added = await kernel.run(['webhook', 'add', 'deploys', '--prompt', 'Deploy {n}', '--skills', 'a, b', '--json'])
  expect(added.err).toBe('')
  await kernel.applyConfig()
  expect(added.code).toBe(0)
  const { secret, style } = JSON.parse(added.out)
  expect([style, secret.length]).toEqual(['generic', 64])
  expect((await send('deploys', { secret, payload: { n: 5 } })).status).toBe(202)
  expect(ear.received[0]).toMatchObject({ text: 'Deploy 5', skills: ['a', 'b'] })
  expect((await kernel.run(['webhook', 'remove', 'deploys'])).code).toBe(0)
  expect((await send('deploys', { secret })).status).toBe(404)
})

test('the secret of an added route is kept in .env, not with the route, and goes with it', async () => {
  const { kernel } = await open({ config: { enabled: true }, routes: {} })
  const { secret } = JSON.parse((await kernel.run(['webhook', 'add', 'my-hook', '--json'])).out)
  await kernel.applyConfig()
  const env = join(kernel.home, '.env')
  expect(readFileSync(env, 'utf8')).toContain(`WEBHOOK_MY_HOOK_SECRET=${secret}`)
  const file = getRoutesFile(kernel.home)
  expect(readFileSync(file, 'utf8')).not.toContain(secret)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const listed = await kernel.run(['webhook', 'list'])
  expect(listed.out).toContain('my-hook  ready')
  expect(listed.out).not.toContain(secret)
  await kernel.run(['webhook', 'remove', 'my-hook'])
  expect(readFileSync(env, 'utf8')).not.toContain(secret)
})

function getRoutesFile(home: string): string {
  return join(home, 'data', 'webhook', 'routes.json')
}

test('two routes whose secrets would share a variable are not both added', async () => {
  const { kernel } = await open({
    config: { enabled: true },
    routes: {},
    env: { WEBHOOK_TAKEN_SECRET: 'of somebody else' },
  })
  await kernel.run(['webhook', 'add', 'my-hook'])
  await kernel.applyConfig()
  expect((await kernel.run(['webhook', 'add', 'my_hook'])).err).toContain('WEBHOOK_MY_HOOK_SECRET is set already')
  expect((await kernel.run(['webhook', 'add', 'taken'])).err).toContain('WEBHOOK_TAKEN_SECRET is set already')
  expect(JSON.parse((await kernel.run(['webhook', 'list', '--json'])).out)).toHaveLength(1)
})

test('what cannot be a route is not added, and nothing is written', async () => {
  const { kernel } = await open()
  for (const [words, reason] of [
    [['hook'], 'already'],
    [['a/b'], 'letters'],
    [['x', '--style', 'none'], 'style'],
    [['x', '--deliver', 'github_comment'], 'deliver_extra.repo'],
    [['x', '--deliver-only'], 'needs a prompt'],
    [['x', '--secret', 'changeme'], 'has no secret'],
  ] as const) {
    const { code, err } = await kernel.run(['webhook', 'add', ...words])
    expect([code, err.includes(reason)]).toEqual([1, true])
  }
  expect(JSON.parse((await kernel.run(['webhook', 'list', '--json'])).out)).toHaveLength(1)
  expect((await kernel.run(['webhook', 'remove', 'hook'])).err).toContain('config.yaml')
  expect((await kernel.run(['webhook', 'remove', 'nobody'])).err).toContain('no route')
})

test('a broken file of routes does not stop those that were, and is not written over', async () => {
  const { open: listen, kernel, send } = await open({ config: { enabled: true } })
  await listen()
  const { secret } = JSON.parse((await kernel.run(['webhook', 'add', 'extra', '--json'])).out)
  await kernel.applyConfig()
  expect((await send('extra', { secret })).status).toBe(202)
  const file = getRoutesFile(kernel.home)
  writeFileSync(file, '{"routes": {"ext')
  expect((await send('extra', { secret, payload: { again: true } })).status).toBe(202)
  expect((await send('hook')).status).toBe(202)
  expect((await kernel.run(['webhook', 'add', 'more'])).err).toContain('routes.json')
  expect(readFileSync(file, 'utf8')).toBe('{"routes": {"ext')
})

test('an added route without its secret takes nothing and stops no one', async () => {
  const { open: listen, kernel, send, platform, ear } = await open()
  const file = getRoutesFile(kernel.home)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ routes: { bare: { secret_env: 'GONE' }, odd: { style: 7 } } }))
  await listen()
  expect((await send('hook')).status).toBe(202)
  expect((await send('bare')).status).toBe(403)
  expect((await send('odd')).status).toBe(404)
  expect((await kernel.run(['webhook', 'list'])).out).toContain('bare  has no secret: set GONE')
  await platform.close()
  expect(ear.received).toHaveLength(1)
})

test.for(['github', 'gitlab', 'svix', 'generic', 'generic-v1'])(
  'svc webhook test signs for a route of the style %s',
  async (style) => {
    const { open: listen, kernel, ear } = await open({ config: { enabled: true }, routes: {} })
    const address = await listen()
    await kernel.run(['webhook', 'add', 'tried', '--style', style])
    await kernel.applyConfig()
    const payload = join(kernel.home, 'event.json')
    writeFileSync(payload, '{"type":"deploy","n":7}')
    const tried = await kernel.run([
      'webhook',
      'test',
      'tried',
      '--url',
      address,
      '--payload',
      `@${payload}`,
      '--event',
      'deploy',
      '--json',
    ])
    expect(tried.code).toBe(0)
    expect(JSON.parse(tried.out)).toMatchObject({ status: 202, answer: { status: 'accepted', event: 'deploy' } })
    expect(ear.received[0]?.text).toContain('"n": 7')
  },
)

test('svc webhook test says when nothing listens, when it is refused, and when the payload is no JSON', async () => {
  const { open: listen, kernel } = await open({ config: { rate_limit: 1 } })
  const gone = await kernel.run(['webhook', 'test', 'hook', '--url', 'http://127.0.0.1:1'])
  expect([gone.code, gone.err.includes('svc gateway run')]).toEqual([1, true])
  const address = await listen()
  expect((await kernel.run(['webhook', 'test', 'hook', '--url', address])).out).toContain('202')
  const refused = await kernel.run(['webhook', 'test', 'hook', '--url', address])
  expect([refused.code, refused.out.includes('429')]).toEqual([1, true])
  expect((await kernel.run(['webhook', 'test', 'hook', '--payload', '{a'])).code).toBe(2)
  expect((await kernel.run(['webhook', 'test', 'nobody'])).err).toContain('no route')
})

test('a script may change the payload, add to it, or say that nothing is to be done', async () => {
  const script = (name: string) => ({ secret: SECRET, script: name, prompt: '{a} {script_output}' })
  const names = ['change', 'words', 'silent', 'fail', 'nothing', 'slow', 'absent', 'link']
  const {
    open: listen,
    kernel,
    send,
    ear,
    clock,
  } = await open({
    routes: Object.fromEntries(names.map((name) => [name, script(name)])),
  })
  await listen()
  const folder = join(kernel.home, 'scripts')
  mkdirSync(folder)
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o700)
  }
  write('change', 'sed s/1/2/')
  write('words', 'echo "two words"')
  write('silent', 'echo "[SILENT]"')
  write('fail', 'echo x; exit 3')
  write('nothing', ':')
  write('slow', 'sleep 60')
  const run = async (name: string) => (await send(name, { payload: { a: 1 } })).status
  expect([await run('change'), await run('words')]).toEqual([202, 202])
  expect(ear.received.map(({ text }) => text.split('\n')[0])).toEqual([
    '2 {script_output}',
    '1 <data source="script_output">two words</data>',
  ])
  for (const name of ['silent', 'fail', 'nothing', 'absent'])
    expect((await send(name, { payload: { a: 1 } })).body).toEqual({ status: 'ignored', reason: 'script', route: name })
  let answered: unknown
  void send('slow', { payload: { a: 1 } }).then(({ body }) => {
    answered = body
  })
  const wait = async () => {
    await clock.advance(1000)
    return answered
  }
  await expect.poll(wait, { timeout: 10_000 }).toMatchObject({ reason: 'script' })
  expect(ear.received).toHaveLength(2)
})
