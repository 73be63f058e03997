/** `/connect`, as a person at a full screen answers its questions. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChoiceDialog, Conversations } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { Credentials, type NewCredential } from 'svc/sdk/provider'
import type { FrontEndHandlers } from 'svc/sdk/sessions'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../../support/model-server.ts'

const RIGHT = 'right-key-0123456789'
const WRONG = 'wrong-key-0123456789'

/** Answers questions in turn, menus by the id of an item; leaves when no answer is left. */
async function person(
  answers: readonly string[],
  config: Record<string, unknown> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const kernel = await testKernel({ plugins: ['model-cli', 'conversation'], config, env })
  onTestFinished(() => kernel.stop())
  // What a running svc does when it sees that the file was saved.
  const watch = setInterval(() => void kernel.applyConfig().catch(() => undefined), 200)
  onTestFinished(() => clearInterval(watch))
  const left = [...answers]
  const asked: string[] = []
  const said: string[] = []
  const front: FrontEndHandlers = {
    surface: 'cli',
    commands: 'cli',
    waits: true,
    show: () => {},
    say: ({ text }) => void said.push(text),
    changed: () => {},
    choose: async ({ title }: ChoiceDialog) => {
      asked.push(title)
      return left.shift()
    },
    ask: async ({ text }) => {
      asked.push(text)
      return left.shift()
    },
  }
  const conversation = kernel.use(Conversations).start(front, { cwd: kernel.home })
  const read = (name: string) => {
    const file = join(kernel.home, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return {
    type: (line: string) => conversation.type(line),
    asked,
    said,
    read,
    answer: (...more: readonly string[]) => void left.push(...more),
    /** As `svc auth add` and `svc auth list` do. */
    add: (credential: NewCredential) => kernel.use(Credentials).add(credential),
    pool: () => kernel.use(Credentials).list('custom'),
    /** The key that calls are made with. */
    keyInForce: async () => (await kernel.use(Credentials).take('custom', ['CUSTOM_API_KEY']))?.key,
    /** As `svc config set` does. */
    async set(path: string, value: string) {
      await kernel.use(ConfigFile).write([{ path, value }], { author: 'a test', reason: 'before' })
      await kernel.applyConfig()
    },
  }
}

test('what is no address is asked again, and is not kept as one', async () => {
  const { type, asked, read } = await person(['custom', 'sk-not-an-address', 'localhost:8000', ''])
  await type('/connect')
  expect(asked.slice(2)).toEqual([
    expect.stringMatching(/^That is not an address\./),
    expect.stringMatching(/^That is not an address\./),
  ])
  expect(read('config.yaml')).not.toContain('sk-not-an-address')
})

test('a refused key is not kept, and another one is asked for', async () => {
  const server = await startModelServer({ key: RIGHT, models: ['m'], replies: ['ready'] })
  onTestFinished(() => server.close())
  const config = { providers: { openai: { base_url: server.url } } }
  const { type, asked, said, read } = await person(['openai', WRONG, RIGHT], config)
  await type('/connect')
  expect(asked.slice(1)).toEqual([
    expect.stringMatching(/^API key of OpenAI/),
    expect.stringMatching(/^OpenAI refused the key\. Enter another one, or press Esc to leave/),
  ])
  expect(read('.env')).not.toContain(WRONG)
  expect(read('.env')).toContain(RIGHT)
  expect(said.at(-1)).toMatch(/^m of OpenAI answers from now on[^\n]+$/)
})

test('leaving after a refused key restores the earlier one, and what to do next is said', async () => {
  const server = await startModelServer({ key: RIGHT, models: ['m'] })
  onTestFinished(() => server.close())
  const config = { providers: { openai: { base_url: server.url } } }
  const { type, asked, said, read, set } = await person([WRONG], config)
  await set('OPENAI_API_KEY', 'older-key-0123456789')
  await type('/connect openai')
  expect(asked).toHaveLength(2)
  expect(said.at(-1)).toBe('OpenAI refused the key. It was not saved. Type /connect openai to enter another one.')
  expect(read('.env')).toContain('OPENAI_API_KEY=older-key-0123456789')
  expect(read('.env')).not.toContain(WRONG)
})

test('a refused key of the environment cannot be replaced by one in .env, so the command that can is named', async () => {
  const server = await startModelServer({ key: RIGHT, models: ['m'] })
  onTestFinished(() => server.close())
  const config = { providers: { openai: { base_url: server.url } } }
  const { type, asked, said } = await person([], config, { OPENAI_API_KEY: WRONG })
  await type('/connect openai')
  expect(asked).toEqual([])
  expect(said.at(-1)).toBe('OpenAI refused the stored key. To store another one, type svc auth add openai in a shell.')
})

test.each([
  ['401', {}],
  ['403', { refusal: 403, lists: 'public' }],
] as const)(
  'a custom server that refuses the key with %s: nothing is written until a key is accepted',
  async (_, options) => {
    const server = await startModelServer({ key: RIGHT, models: ['m'], replies: () => 'ready', ...options })
    onTestFinished(() => server.close())
    const { type, said, read, answer } = await person(['custom', server.url, 'yes', WRONG, ''])
    await type('/connect')
    const { host } = new URL(server.url)
    expect(said.at(-1)).toBe(`${host} refused the key. It was not saved. Type /connect custom to enter another one.`)
    expect(read('.env')).toBe('')
    expect(read('config.yaml')).not.toContain('base_url')
    answer('custom', server.url, 'yes', RIGHT)
    await type('/connect')
    expect(said.at(-1)).toMatch(new RegExp(`^m of ${host} answers from now on`))
    expect(read('.env')).toContain(RIGHT)
    expect(read('config.yaml')).toContain(`base_url: ${server.url}`)
  },
)

test('/connect custom tries the configured server, and asks for another key when that of .env is refused', async () => {
  const server = await startModelServer({ key: RIGHT, models: ['m'], replies: ['ready'] })
  onTestFinished(() => server.close())
  const { type, asked, said, read, set } = await person([RIGHT], { model: { base_url: server.url } })
  await set('CUSTOM_API_KEY', WRONG)
  await type('/connect custom')
  expect(asked).toEqual([expect.stringMatching(/refused the key\. Enter another one/)])
  expect(said.at(-1)).toMatch(/^m of 127\.0\.0\.1:\d+ answers/)
  expect(read('.env')).toContain(RIGHT)
})

test('the key of an earlier server is not left to be sent to one that wants none', async () => {
  const server = await startModelServer({ models: ['m'] })
  onTestFinished(() => server.close())
  const { type, said, read, set } = await person(['custom', server.url, 'no'])
  await set('CUSTOM_API_KEY', 'key-of-another-0123456789')
  await type('/connect')
  expect(said.at(-1)).toMatch(/^m of /)
  expect(read('.env')).not.toContain('key-of-another')
})

test('a server that does not list its models: a name can be typed, and the model is asked before it is saved', async () => {
  const server = await startModelServer({ lists: false, replies: ['ready'] })
  onTestFinished(() => server.close())
  const { type, asked, said, read } = await person(['custom', server.url, 'no', 'my-model'])
  await type('/connect')
  expect(asked.at(-1)).toMatch(/^Could not get a list of models from .+\. Type the name of a model$/)
  expect(server.requests.map(({ body }) => body['model'])).toEqual(['my-model'])
  expect(said.at(-1)).toMatch(/^my-model of 127\.0\.0\.1:\d+ answers from now on/)
  expect(read('config.yaml')).toContain('default: my-model')
})

test('a server that does not list its models can be left, and nothing is written', async () => {
  const server = await startModelServer({ lists: false })
  onTestFinished(() => server.close())
  const { type, asked, said, read } = await person(['custom', server.url, 'no'])
  await type('/connect')
  expect(asked).toHaveLength(4)
  expect(said).toEqual([])
  expect(read('config.yaml')).not.toContain(server.url)
  expect(server.requests).toEqual([])
})

test('a model that the server does not know is not saved', async () => {
  const error = {
    message: 'The model `no-such-model` does not exist',
    code: 'model_not_found',
    type: 'invalid_request_error',
  }
  const server = await startModelServer({ lists: false, replies: [{ fault: { status: 404, ...error } }] })
  onTestFinished(() => server.close())
  const { type, said, read } = await person(['custom', server.url, 'no', 'no-such-model'])
  await type('/connect')
  expect(said.at(-1)).toMatch(/^A short test question failed, so nothing was saved: .+/)
  expect(read('config.yaml')).not.toContain('no-such-model')
})

test('a test question that fails for a time is a warning: the model is connected all the same', async () => {
  const server = await startModelServer({ lists: false, replies: [{ fault: { status: 429, message: 'Slow down' } }] })
  onTestFinished(() => server.close())
  const { type, said, read } = await person(['custom', server.url, 'no', 'busy-model'])
  await type('/connect')
  expect(said.at(-1)).toMatch(/^busy-model of .+\n\nA short test question failed: .+/)
  expect(read('config.yaml')).toContain('default: busy-model')
})

test('an address where nothing answers is said at once, and asked again', async () => {
  const server = await startModelServer({ models: ['m'] })
  onTestFinished(() => server.close())
  const { type, asked, said } = await person(['custom', 'http://127.0.0.1:9/v1', server.url, 'no'])
  await type('/connect')
  expect(asked[2]).toBe('Nothing answers at http://127.0.0.1:9/v1. Start the server, or correct the address')
  expect(said.at(-1)).toMatch(/^m of 127/)
})

test('a local server that does not run is said not to run', async () => {
  const { type, asked, said } = await person([], { providers: { vllm: { base_url: 'http://127.0.0.1:9' } } })
  await type('/connect vllm')
  expect(asked).toEqual([])
  expect(said.at(-1)).toMatch(/^vLLM cannot be used: nothing answers on 127\.0\.0\.1:9/)
})

test('a key that is entered for the configured server is used, also where the pool or the environment has another', async () => {
  const server = await startModelServer({ key: RIGHT, models: ['m'], replies: () => 'ready' })
  onTestFinished(() => server.close())
  const config = { model: { provider: 'custom', base_url: server.url } }
  const pooled = await person([RIGHT], config)
  await pooled.add({ provider: 'custom', key: WRONG })
  await pooled.type('/connect custom')
  expect(pooled.said.at(-1)).toMatch(/^m of /)
  expect(await pooled.keyInForce()).toBe(RIGHT)
  expect(pooled.read('.env')).not.toContain(RIGHT)

  const inherited = await person([RIGHT], config, { CUSTOM_API_KEY: WRONG })
  await inherited.type('/connect custom')
  expect(inherited.said.at(-1)).toMatch(/^m of /)
  expect(await inherited.keyInForce()).toBe(RIGHT)
})

test('keys of the pool that belong to an earlier server are neither tried nor left for another one', async () => {
  const server = await startModelServer({ key: RIGHT, models: ['m'], replies: () => 'ready' })
  onTestFinished(() => server.close())
  const config = { model: { provider: 'custom', base_url: 'http://earlier.invalid/v1' } }
  const one = await person(['custom', server.url, 'no', ''], config)
  await one.add({ provider: 'custom', key: RIGHT, label: 'of the earlier server' })
  await one.type('/connect')
  expect(one.asked.at(-1)).toMatch(/^Could not get a list of models/)
  expect(await one.pool()).toHaveLength(1)

  one.answer('custom', server.url, 'yes', RIGHT)
  const [{ id = '' } = {}] = await one.pool()
  await one.type('/connect')
  expect(one.said.at(-1)).toContain(`svc auth restore ${id}`)
  expect(await one.pool()).toEqual([])
  expect(one.read('.env')).toContain(RIGHT)
})
