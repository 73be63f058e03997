import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Models, type ToolResult, Tools, type Usage } from 'svc/sdk'
import { type ImageGenerator, ImageGenerators } from 'svc/sdk/media'
import { type BudgetScope, Budgets } from 'svc/sdk/safety'
import { fakeToolTurn, testKernel, toolContract } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { jpeg, png } from '../../../support/pictures.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startWebFake, type WebAnswer, type WebRequest } from '../../../support/web-fake.ts'

const KEY = 'sk-0123456789abcdef0123'
const b64 = (bytes: Buffer, usage?: object) => ({
  body: JSON.stringify({ created: 1, data: [{ b64_json: bytes.toString('base64') }], usage }),
})
const counted = { input_tokens: 12, output_tokens: 272, total_tokens: 284, input_tokens_details: {} }

interface StageOptions {
  readonly reply?: (request: WebRequest, url: string) => WebAnswer
  readonly image?: object
  readonly env?: Record<string, string>
  /** Use the address of the fake for OpenAI, or for the server of the user's own. */
  readonly as?: 'openai' | 'custom'
  readonly broke?: boolean
  /** The model of the session sees no pictures. */
  readonly blind?: boolean
  /** Of another plugin. */
  readonly backend?: ImageGenerator
}

async function stage(options: StageOptions = {}) {
  const {
    reply = () => b64(png(1536, 1024), counted),
    as = 'openai',
    image = {},
    env = { OPENAI_API_KEY: KEY },
  } = options
  const fake = await startWebFake((request) => reply(request, fake.url))
  onTestFinished(() => fake.close())
  const address = as === 'openai' ? { openai_base_url: `${fake.url}/v1/` } : { base_url: `${fake.url}/v1` }
  const spent: (BudgetScope & { settled?: Usage; released?: boolean })[] = []
  const budgets = {
    async hold(spender: BudgetScope) {
      if (options.broke) throw new Error('The budget is used up.')
      const entry: (typeof spent)[number] = { ...spender }
      spent.push(entry)
      return {
        settle(usage: Usage) {
          entry.settled ??= usage
          return usage
        },
        release() {
          if (!entry.settled) entry.released = true
        },
      }
    },
  }
  const models = {
    choose: async () => ({ provider: { name: 'fake' }, model: 'eye-1' }),
    describe: () => ({ id: 'eye-1', images: !options.blind }),
  }
  const kernel = await testKernel({
    plugins: ['tool-image'],
    env,
    config: { image: { ...address, ...image }, plugins: { disabled: ['budgets', 'models'] } },
    with: [
      {
        name: 'fake-budgets',
        provides: ['budgets', 'models'],
        contributes: { 'image-backends': options.backend ? [options.backend.name] : [] },
        setup(ctx) {
          ctx.provide(Budgets, () => budgets as unknown as Budgets)
          ctx.provide(Models, () => models as unknown as Models)
          if (options.backend) ctx.add(ImageGenerators, options.backend)
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const tool = kernel.all(Tools).get('image_generate')
  if (!tool) throw new Error(`no tool: ${JSON.stringify(kernel.problems())}`)
  const folder = temporaryFolder()
  const make = async (input: object = {}, signal = new AbortController().signal) => {
    const asked = { prompt: 'a fox', aspect_ratio: 'landscape', ...input }
    return (await tool.run(asked, fakeToolTurn({ cwd: folder, signal }))) as ToolResult
  }
  const failure = (input?: object) =>
    make(input).then(
      () => 'no failure',
      (error: Error & { code: string }) => `${error.code}: ${error.message}`,
    )
  return { fake, kernel, tool, spent, folder, make, failure }
}

test('OpenAI draws a picture, which is shown and kept for the user alone', async () => {
  const { fake, make, spent } = await stage()
  const result = await make()
  const { path } = result.data as { path: string }
  expect(readFileSync(path).equals(png(1536, 1024))).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(result.text).toBe(`Saved as ${path} (image/png, 1536 x 1024 pixels).`)
  expect(result.images).toEqual([{ mediaType: 'image/png', data: png(1536, 1024).toString('base64') }])
  expect(result.files).toEqual([{ path, mediaType: 'image/png' }])
  const [request] = fake.requests
  expect(request).toMatchObject({ method: 'POST', path: '/v1/images/generations' })
  expect(request?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(JSON.parse(request?.body ?? '')).toEqual({ prompt: 'a fox', n: 1, model: 'gpt-image-1', size: '1536x1024' })
  expect(spent).toEqual([
    {
      ...{ sessionId: 'ses_test', turnId: 'turn_test', purpose: 'image', provider: 'openai', model: 'gpt-image-1' },
      settled: { input: 12, output: 272 },
    },
  ])
})

test('a blind model is told of the file only', async () => {
  const { make } = await stage({ blind: true })
  const result = await make()
  expect(result.text).toMatch(/^Saved as /)
  expect(result.images).toBeUndefined()
})

test('a picture is changed by sending it along as a form', async () => {
  const { fake, folder, make } = await stage()
  writeFileSync(join(folder, 'fox.dat'), jpeg())
  await make({ image_url: 'fox.dat', aspect_ratio: 'portrait' })
  const [request] = fake.requests
  expect(request?.path).toBe('/v1/images/edits')
  const boundary = /boundary=(\S+)$/.exec(request?.headers['content-type'] ?? '')?.[1] ?? 'none'
  const parts = (request?.bytes.toString('latin1') ?? '').split(`--${boundary}`)
  expect(parts.at(-1)).toBe('--\r\n')
  expect(parts.some((part) => part.includes('name="prompt"\r\n\r\na fox\r\n'))).toBe(true)
  expect(parts.some((part) => part.includes('name="size"\r\n\r\n1024x1536\r\n'))).toBe(true)
  const file = parts.find((part) => part.includes('name="image"; filename="picture.jpg"\r\nContent-Type: image/jpeg'))
  expect(file?.endsWith(`\r\n\r\n${jpeg().toString('latin1')}\r\n`)).toBe(true)
})

test('a server of the user answers with its own address, and is not paid for', async () => {
  const reply = ({ path }: WebRequest, url: string): WebAnswer =>
    path === '/made/1.png' ? { body: png(64, 64) } : { body: JSON.stringify({ data: [{ url: `${url}/made/1.png` }] }) }
  const { fake, make, spent } = await stage({
    as: 'custom',
    reply,
    image: { model: 'sd' },
    env: { IMAGE_API_KEY: KEY },
  })
  expect(await make({ aspect_ratio: 'square' })).toMatchObject({ data: { width: 64, backend: 'custom' } })
  const [asked, fetched] = fake.requests
  expect(JSON.parse(asked?.body ?? '')).toMatchObject({ model: 'sd', size: '1024x1024', response_format: 'b64_json' })
  expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(fetched?.headers.authorization).toBeUndefined()
  expect(spent).toEqual([])
})

test('an address elsewhere that the server names passes the guard of addresses', async () => {
  const reply = () => ({ body: JSON.stringify({ data: [{ url: 'http://169.254.169.254/latest' }] }) })
  const { failure } = await stage({ as: 'custom', reply, env: {} })
  expect(await failure()).toMatch(/^URL_FORBIDDEN/)
})

test.for<readonly [string, StageOptions['reply'] | WebAnswer | 'cut', RegExp, 'released' | 'settled']>([
  [
    'a key that is not accepted',
    { status: 401, body: `{"error":{"message":"Incorrect API key ${KEY}"}}` },
    /does not accept OPENAI_API_KEY .*Incorrect API key \*\*\*/,
    'released',
  ],
  [
    'a limit',
    { status: 429, headers: { 'retry-after': '20' }, body: '{"error":{"message":"Rate limit"}}' },
    /Rate limit\. Try again in 20 s/,
    'released',
  ],
  [
    'a refusal for its content',
    {
      status: 400,
      body: '{"error":{"message":"Your request was rejected by the safety system.","code":"moderation_blocked"}}',
    },
    /refused the request \(status 400\): Your request was rejected by the safety system\./,
    'released',
  ],
  ['a fault', { status: 500, body: '<h1>oops</h1>' }, /OpenAI has a fault \(status 500\)/, 'released'],
  ['a web page', { body: '<html>hello</html>' }, /answered with a web page/, 'released'],
  ['JSON of another form', { body: '{"data":"none"}' }, /something else than its documentation says/, 'released'],
  ['no picture at all', { body: '{"data":[{}]}' }, /OpenAI sent no picture\./, 'released'],
  ['an answer that breaks off', 'cut', /in the middle/, 'settled'],
  ['a picture that is none', () => b64(Buffer.from('hello')), /OpenAI sent no picture: the data is text/, 'settled'],
  ['a picture that is cut off', () => b64(png().subarray(0, 50)), /cut off or broken/, 'settled'],
])('%s is said, and paid for only when it was drawn', async ([, fault, reason, money]) => {
  const { fake, failure, spent } = await stage(typeof fault === 'function' ? { reply: fault } : {})
  if (typeof fault !== 'function') fake.fault = fault
  const said = await failure()
  expect(said).toMatch(/^IMAGE_FAILED: /)
  expect(said).toMatch(reason)
  expect(said).not.toContain(KEY)
  expect(Object.keys(spent[0] ?? {})).toContain(money)
})

test('without money nothing is sent', async () => {
  const { fake, make } = await stage({ broke: true })
  await expect(make()).rejects.toThrow('The budget is used up.')
  expect(fake.requests).toEqual([])
})

test('an interrupt ends the wait for a picture, which may have been drawn', async () => {
  const { fake, make, spent } = await stage()
  fake.fault = 'stall'
  const controller = new AbortController()
  const running = make({}, controller.signal)
  await fake.stalled
  controller.abort(new Error('interrupted by the user'))
  await expect(running).rejects.toThrow('interrupted by the user')
  expect(spent[0]).toHaveProperty('settled')
})

test('a picture that cannot be kept is shown all the same', async () => {
  const { make, kernel } = await stage()
  const { data } = await make()
  const folder = dirname((data as { path: string }).path)
  expect(folder.startsWith(kernel.home)).toBe(true)
  removeFolder(folder)
  writeFileSync(folder, 'in the way')
  const result = await make()
  expect(result.text).toMatch(/^Not saved: .* could not be written/)
  expect(result.images).toHaveLength(1)
})

test('a key of OpenAI goes to OpenAI, and the tool says what is missing', async () => {
  const strange = await stage({ image: { openai_base_url: 'https://openai.com.example/v1' } })
  expect(strange.tool.missing?.()).toMatch(/custom needs image\.base_url; openai needs an address of OpenAI/)
  expect(await strange.failure()).toMatch(/^IMAGE_NO_BACKEND: /)
  expect((await stage({ env: {} })).tool.missing?.()).toMatch(/openai needs OPENAI_API_KEY/)
  expect((await stage()).tool.missing?.()).toBeUndefined()
  expect((await stage({ image: { backend: 'dalle' } })).tool.missing?.()).toMatch(/there are custom, openai/)
})

test('a server that does not change pictures is not asked to', async () => {
  const { failure, fake, folder } = await stage({ as: 'custom', env: {} })
  writeFileSync(join(folder, 'fox.png'), png())
  expect(await failure({ image_url: 'fox.png' })).toMatch(/cannot change pictures: A server of your own/)
  expect(fake.requests).toEqual([])
})

test('a backend of another plugin is asked when it is named, and no other', async () => {
  const crayon = { name: 'crayon', label: 'Crayon', order: 99, edits: false, missing: () => undefined }
  const make = async () => ({ bytes: png(8, 8), usage: {}, revisedPrompt: 'a fox, in wax' })
  const { fake, make: ask, spent } = await stage({ image: { backend: 'crayon' }, backend: { ...crayon, make } })
  const result = await ask()
  expect(result).toMatchObject({ data: { backend: 'crayon', width: 8 } })
  expect(result.text).toMatch(/\nDrawn from: a fox, in wax$/)
  expect([fake.requests, spent]).toEqual([[], []])
})

test('the tool for making pictures keeps the contract of tools', async () => {
  const { tool } = await stage()
  const sample = { input: { prompt: 'a fox' }, text: /^Saved as / }
  for (const { run } of toolContract(tool, [sample])) await run()
  expect(tool.effect).toBe('once')
})
