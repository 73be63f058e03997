import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Credentials,
  type ModelEvent,
  type ModelProvider,
  Providers,
  type SignInFlow,
  SignInFlows,
} from 'svc/sdk/provider'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const SECRET = 'sk-canary-0123456789-wxyz'

const flow: SignInFlow = {
  name: 'acme:oauth',
  provider: 'acme',
  type: 'oauth',
  label: 'Browser',
  async signIn(person) {
    person.say('Open https://acme.example/device')
    if ((await person.ask('Code: ')) !== '1234') throw new Error('The code is wrong.')
    return { accessToken: 'token-canary-abcdefgh', expiresAt: 1, account: 'me' }
  },
}

async function open({
  models = 2,
  model = 'm0',
  answer = [],
}: {
  readonly models?: number
  readonly model?: string
  readonly answer?: readonly ModelEvent[]
} = {}) {
  const asked: unknown[] = []
  const provider = (name: string, more: Partial<ModelProvider> = {}): ModelProvider => ({
    name,
    label: name.toUpperCase(),
    status: async () => kernel.use(Credentials).status(name, [`${name.toUpperCase()}_API_KEY`]),
    models: async () => Array.from({ length: models }, (_, at) => ({ id: `m${at}` })),
    async *stream(request) {
      asked.push([request.model, request.maxOutputTokens])
      yield answer
    },
    ...more,
  })
  const kernel = await testKernel({
    plugins: ['auth-cli'],
    clock: virtualClock(),
    config: {
      model: { provider: 'acme', default: model },
      plugins: { disabled: ['provider-openai', 'provider-anthropic', 'provider-gemini', 'provider-demo'] },
    },
    with: [
      {
        name: 'fake-providers',
        contributes: { providers: ['acme', 'free', 'signs'], 'auth-flows': ['acme:oauth'] },
        setup(ctx) {
          ctx.add(
            Providers,
            provider('acme', { aliases: ['ac'], auth: { type: 'api-key', page: 'https://acme.example' } }),
          )
          ctx.add(Providers, provider('free', { auth: { type: 'none' } }))
          ctx.add(Providers, provider('signs', { auth: { type: 'oauth' } }))
          ctx.add(SignInFlows, flow)
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const keys = () => kernel.use(Credentials).list()
  return { kernel, keys, asked, run: kernel.run }
}

test('svc auth add asks for the key, says where to get one, and shows it to no one', async () => {
  const { kernel, run, keys } = await open()
  const { code, out, err } = await run(['auth', 'add', 'acme', '--label', 'work'], {
    interactive: true,
    answers: [SECRET],
  })
  expect({ code, err }).toEqual({
    code: 0,
    err: 'Get a key at https://acme.example\nKey for ACME (not shown): ',
  })
  expect(out).toMatch(/^Kept for acme: [0-9a-f]{6} {2}work {2}\*\*\*wxyz {2}ok {2}0 calls\n/)
  expect(await keys()).toMatchObject([{ provider: 'acme', label: 'work', source: 'manual', type: 'api-key' }])
  expect(JSON.stringify(await keys())).not.toContain(SECRET)
  expect(readFileSync(join(kernel.home, 'auth.json'), 'utf8')).toContain(SECRET)
})

test('svc auth add reads the key from a pipe, and takes another word for the provider', async () => {
  const { run, keys } = await open()
  const { code, out } = await run(
    ['auth', 'add', 'ac', '--priority', '-1', '--base-url', 'https://x.example/v1', '--json'],
    {
      stdin: `${SECRET}\n`,
    },
  )
  expect(code).toBe(0)
  expect(out).not.toContain(SECRET)
  expect(JSON.parse(out)).toMatchObject({
    provider: 'acme',
    priority: -1,
    baseUrl: 'https://x.example/v1',
    key: '***wxyz',
  })
  expect(await keys()).toHaveLength(1)
})

test.for([
  [
    ['auth', 'add', 'acme'],
    '',
    1,
    /^svc: That does not look like an API key for acme.*Nothing was stored\. \(CREDENTIALS_PLACEHOLDER\)\n$/,
  ],
  [['auth', 'add', 'acme'], 'changeme', 1, /CREDENTIALS_PLACEHOLDER/],
  [['auth', 'add', 'acm'], SECRET, 1, /no model provider "acm"\. Did you mean acme\? There are: acme, free, signs/],
  [['auth', 'add', 'free'], SECRET, 1, /FREE asks for no key/],
  [['auth', 'add', 'signs'], SECRET, 1, /Name a way to sign in to SIGNS\. No plugin here offers one\./],
  [['auth', 'add', 'acme', '--flow', 'magic'], SECRET, 1, /no way "magic".*There are: acme:oauth \(Browser\)/],
  [['auth', 'add', 'acme', '--priority', 'high'], SECRET, 2, /--priority wants a whole number, not "high"/],
  [['auth', 'add', 'acme', '--base-url', 'nowhere'], SECRET, 2, /--base-url wants an address/],
  [['auth', 'add'], SECRET, 2, /needs <provider>/],
  [['auth', 'ad', 'acme'], SECRET, 2, /Did you mean/],
  [['auth', 'remove', 'acme'], SECRET, 1, /Name the key to remove\. Of acme none is kept/],
  [['auth', 'restore', 'ffffff'], SECRET, 1, /No key ffffff was removed within the last day/],
] as const)('svc %j with %j fails with a sentence and keeps nothing', async ([argv, stdin, code, message]) => {
  const { run, keys } = await open()
  const result = await run(argv, { stdin })
  expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(message) })
  expect(result.err).not.toMatch(/ {4}at /)
  expect(await keys()).toEqual([])
})

test('svc auth add --flow leads through a sign-in and keeps what it leaves', async () => {
  const { run, keys } = await open()
  const wrong = await run(['auth', 'add', 'acme', '--flow', 'oauth'], { interactive: true, answers: ['9'] })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('The code is wrong. Nothing was kept.') })
  const right = await run(['auth', 'add', 'acme', '--flow', 'acme:oauth'], { interactive: true, answers: ['1234'] })
  expect(right).toMatchObject({ code: 0, err: 'Open https://acme.example/device\nCode: ' })
  expect(await keys()).toMatchObject([{ type: 'oauth', source: 'acme:oauth', key: '***efgh' }])
})

test('svc auth list shows how each key stands', async () => {
  const { kernel, run } = await open()
  const pool = kernel.use(Credentials)
  await pool.add({ provider: 'acme', key: 'sk-first-key', label: 'one\u001b[31m' })
  await pool.add({ provider: 'acme', key: 'sk-second-key', label: 'two' })
  const credential = await pool.take('acme', [])
  credential?.failed({ kind: 'rate-limit', message: 'Slow down.', retryable: true, retryAfterMs: 90_000 })
  const { out } = await run(['auth', 'list'])
  expect(out).toMatch(/^acme\n {2}[0-9a-f]{6} {2}one \[31m {2}\*\*\* {2}rests for 2 min {2}\d calls? {2}Slow down\.\n/)
  expect(out).toMatch(/\n {2}[0-9a-f]{6} {2}two {2}\*\*\* {2}ok {2}0 calls\n$/)
  expect(JSON.parse((await run(['auth', 'list', 'acme', '--json'])).out)).toHaveLength(2)
  expect((await run(['auth', 'reset', 'acme'])).out).toMatch(/^Used again: one/)
  expect((await run(['auth', 'reset', 'acme'])).out).toBe('No key of acme rests or was given up.\n')
})

test('svc auth without keys says how to add one', async () => {
  const { run } = await open()
  expect(await run(['auth'])).toMatchObject({ code: 0, out: expect.stringContaining('svc auth add <provider>') })
})

test('svc auth remove asks, says how to undo it, and the undo works', async () => {
  const { kernel, run, keys } = await open()
  for (const label of ['one', 'two', 'two'])
    await kernel.use(Credentials).add({ provider: 'acme', key: `sk-${label}-${Math.random()}`, label })
  expect(await run(['auth', 'remove', 'acme', 'one'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('add --yes'),
  })
  expect(await run(['auth', 'remove', 'acme', 'two', '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Several keys are called "two"'),
  })
  const no = await run(['auth', 'remove', 'acme', 'one'], { interactive: true, answers: ['n'] })
  expect(no).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed.') })
  expect(await keys()).toHaveLength(3)
  const { out } = await run(['auth', 'remove', 'acme', 'one'], { interactive: true, answers: ['y'] })
  expect(await keys()).toHaveLength(2)
  const [, undo = ''] = /To undo it within a day: svc (.*)\n/.exec(out) ?? []
  expect(await run(undo.split(' '))).toMatchObject({ code: 0, out: expect.stringMatching(/^Back for acme: /) })
  expect(await keys()).toHaveLength(3)
})

test('svc auth logout removes all of a provider', async () => {
  const { kernel, run, keys } = await open()
  for (const key of ['sk-first', 'sk-second']) await kernel.use(Credentials).add({ provider: 'acme', key })
  expect(JSON.parse((await run(['auth', 'logout', 'acme', '--yes', '--json'])).out)).toMatchObject({
    removed: [expect.any(String), expect.any(String)],
    undo: expect.stringMatching(/^svc auth restore \w{6} \w{6}$/),
  })
  expect(await keys()).toEqual([])
  expect((await run(['auth', 'logout', 'acme'])).out).toBe('No key of acme is kept; nothing was removed.\n')
})

test('svc auth status says who can be used and who answers', async () => {
  const { kernel, run } = await open()
  await kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  const { code, out } = await run(['auth', 'status'])
  expect(code).toBe(0)
  expect(out).toMatch(/^\+ acme {10}one key in auth\.json\n(- .*\n)*- free {10}FREE_API_KEY is not set\n/)
  expect(out).toMatch(/m0 of acme answers now\.\n$/)
  expect((await run(['auth', 'status', 'signs'])).code).toBe(1)
  const { providers, answering } = JSON.parse((await run(['auth', 'status', '--json'])).out)
  expect(providers).toContainEqual({ provider: 'acme', ready: true, detail: 'one key in auth.json' })
  expect(answering).toBe('m0 of acme answers now.')
})

test('svc auth test asks the provider for its models', async () => {
  const { kernel, run } = await open()
  expect(await run(['auth', 'test', 'acme'])).toEqual({
    code: 1,
    out: '',
    err: 'acme cannot be used: ACME_API_KEY is not set.\n',
  })
  await kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  expect(await run(['auth', 'test'])).toEqual({
    code: 0,
    err: '',
    out: 'acme accepted the key (one key in auth.json); it offers 2 models.\n',
  })
  expect(JSON.parse((await run(['auth', 'test', 'acme', '--json'])).out)).toMatchObject({ works: true, models: 2 })
})

test('svc auth test asks the configured model a short question when the provider does not list its models', async () => {
  const answer = [
    { type: 'usage', usage: { input: 6, output: 16 } },
    { type: 'end', reason: 'length' },
  ] as const
  const { kernel, run, asked } = await open({ models: 0, answer })
  await kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  expect(await run(['auth', 'test', 'acme'])).toEqual({
    code: 0,
    err: '',
    out: 'acme accepted the key (one key in auth.json); m0 answered a question.\n',
  })
  expect(asked).toEqual([['m0', 16]])
})

test('svc auth test tells a refused key from a model that could not answer', async () => {
  const failed = (kind: 'auth' | 'overloaded', message: string) =>
    [{ type: 'failed', failure: { kind, message, retryable: false } }] as const
  const refused = await open({ models: 0, answer: failed('auth', 'The key is wrong.') })
  await refused.kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  expect(await refused.run(['auth', 'test', 'acme'])).toEqual({
    code: 1,
    out: '',
    err: 'acme refused the key (one key in auth.json): The key is wrong.\n',
  })
  expect(JSON.parse((await refused.run(['auth', 'test', 'acme', '--json'])).out)).toMatchObject({
    works: false,
    asked: 'm0',
    kind: 'auth',
  })
  const busy = await open({ models: 0, answer: failed('overloaded', 'Too busy.') })
  await busy.kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  expect((await busy.run(['auth', 'test', 'acme'])).err).toBe(
    'acme did not answer a question to m0 (one key in auth.json): Too busy.\n',
  )
})

test('svc auth test --model asks that model although there is a list', async () => {
  const { kernel, run, asked } = await open({ answer: [{ type: 'end', reason: 'stop' }] })
  await kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  expect((await run(['auth', 'test', 'acme', '--model', 'big'])).out).toContain('big answered a question')
  expect(asked).toEqual([['big', 16]])
})

test('svc auth test asks nothing without a list and without a model, and says how to name one', async () => {
  const { kernel, run, asked } = await open({ models: 0, model: '' })
  await kernel.use(Credentials).add({ provider: 'acme', key: SECRET })
  expect(await run(['auth', 'test', 'acme'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('svc auth test acme --model <id>'),
  })
  expect(asked).toEqual([])
})

test('svc login names what replaced it and does nothing', async () => {
  const { run, keys } = await open()
  expect(await run(['login', '--provider', 'acme'])).toEqual({
    code: 1,
    out: '',
    err: 'svc login was removed. Use `svc auth add acme` instead; nothing was done.\n',
  })
  expect(await keys()).toEqual([])
})

test('every command of svc auth has help with an example', async () => {
  const { run } = await open()
  for (const name of ['add', 'list', 'status', 'test', 'remove', 'logout', 'restore', 'reset']) {
    const { code, out } = await run(['auth', name, '--help'])
    expect(code).toBe(0)
    expect(out).toContain(`  svc auth ${name}`)
  }
})
