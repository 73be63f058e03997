import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Models } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../../support/model-server.ts'
import { startSseService } from '../../../support/sse-service.ts'

type Options = NonNullable<Parameters<typeof testKernel>[0]>

/** A kernel whose local servers are not those of this machine. */
async function open(options: Options = {}) {
  const nowhere = await startSseService(() => ({ status: 404, body: '{}' }))
  await nowhere.close()
  const absent = { base_url: nowhere.url }
  const { providers, ...config } = (options.config ?? {}) as { providers?: object }
  const locals = { ollama: absent, lmstudio: absent, 'llama-cpp': absent, vllm: absent }
  const kernel = await testKernel({
    plugins: ['model-cli'],
    clock: virtualClock(),
    ...options,
    config: { ...config, providers: { ...locals, ...providers } },
  })
  onTestFinished(() => kernel.stop())
  return kernel
}

async function serve(options: Parameters<typeof startModelServer>[0] = {}) {
  const server = await startModelServer(options)
  onTestFinished(() => server.close())
  return server
}

const readConfigFile = (home: string) => readFileSync(join(home, 'config.yaml'), 'utf8')

test('svc model says who answers and why', async () => {
  const server = await serve({ models: ['only-one'] })
  const kernel = await open({ config: { model: { provider: 'custom', base_url: server.url } } })
  expect(await kernel.run(['model'])).toEqual({
    code: 0,
    err: '',
    out: `custom only-one\nAny compatible server: model.base_url is ${server.url}\n`,
  })
  const { out } = await kernel.run(['model', 'show', '--json'])
  expect(JSON.parse(out)).toMatchObject({ provider: 'custom', model: 'only-one', source: 'configured', ready: true })
})

test('svc model list has every provider, the usable ones first with their models', async () => {
  const server = await serve({ kind: 'ollama', models: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })
  const kernel = await open({ config: { providers: { ollama: { base_url: server.origin } } } })
  const { code, out } = await kernel.run(['model', 'list'])
  expect(code).toBe(0)
  expect(out).toMatch(/^\+ ollama {8}Ollama: it answers on .*\n {4}a, b, c, d, e, and 2 more\n/m)
  expect(out).toContain('- anthropic     Anthropic: ANTHROPIC_API_KEY is not set\n')
  expect(out).toContain('- gemini        Gemini: GOOGLE_API_KEY is not set\n')
  expect(out).toContain('- groq          Groq: GROQ_API_KEY is not set\n')
  expect(out.lastIndexOf('\n+ ')).toBeLessThan(out.indexOf('\n- '))
  const listed = JSON.parse((await kernel.run(['model', 'list', '--json'])).out) as { name: string; models: object[] }[]
  expect(listed.find(({ name }) => name === 'ollama')?.models).toHaveLength(7)
  expect((await kernel.run(['model', 'list', 'ollama'])).out).toBe('a\nb\nc\nd\ne\nf\ng\n')
})

test('svc model list of one that cannot be used says why and fails', async () => {
  const kernel = await open()
  expect(await kernel.run(['model', 'list', 'groq'])).toEqual({
    code: 1,
    out: '',
    err: 'groq cannot be used: GROQ_API_KEY is not set.\n',
  })
  const { code, err } = await kernel.run(['model', 'list', 'grog'])
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('There is no model provider "grog". There are: '),
  })
})

test('svc model set writes both keys and warns of what is not ready', async () => {
  const kernel = await open()
  const { code, out, err } = await kernel.run(['model', 'set', 'groq', 'llama-3.3'])
  expect({ code, err }).toEqual({ code: 0, err: 'Warning: groq cannot be used yet: GROQ_API_KEY is not set.\n' })
  expect(out).toBe('model.provider is groq, model.default is llama-3.3. Take it back with `svc config undo`.\n')
  expect(readConfigFile(kernel.home)).toMatch(/model:\n {2}provider: groq\n {2}default: llama-3\.3\n/)
  expect((await kernel.run(['model', 'set', 'groq', 'llama-3.3'])).out).toContain('No change.')
})

test('svc model set takes another word for a provider and writes its own name', async () => {
  const provider = {
    name: 'acme',
    label: 'Acme',
    aliases: ['ac'],
    status: async () => ({ ready: true, detail: 'fake' }),
    models: async () => [{ id: 'm1' }, { id: 'm2' }],
    async *stream() {},
  }
  const acme = {
    name: 'acme-provider',
    contributes: { providers: ['acme'] },
    setup: (ctx: Parameters<NonNullable<Options['with']>[number]['setup']>[0]) => void ctx.add(Providers, provider),
  }
  const kernel = await open({ with: [acme] })
  expect(await kernel.run(['model', 'set', 'ac'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('`svc model set acme <model>`'),
    out: expect.stringMatching(/^model\.provider is acme,/),
  })
  expect((await kernel.run(['model', 'aux', 'set', 'title', 'ac'])).err).toContain(
    '`svc model aux set title acme <model>`',
  )
  expect(readConfigFile(kernel.home)).not.toMatch(/: ac\n/)
})

test('svc model set without a model forgets the old one', async () => {
  const kernel = await open()
  await kernel.run(['model', 'set', 'groq', 'llama-3.3'])
  expect((await kernel.run(['model', 'set', 'auto'])).out).toContain(
    'model.provider is auto, model.default is not set.',
  )
  expect(readConfigFile(kernel.home)).not.toContain('llama-3.3')
})

test('svc model set refuses a provider that is not there and writes nothing', async () => {
  const kernel = await open()
  const { code, err } = await kernel.run(['model', 'set', 'nobody', 'x'])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/"nobody".*Nothing was written\.\n$/) })
  expect(() => readConfigFile(kernel.home)).toThrow('ENOENT')
})

test('svc model set warns of a model that is not listed', async () => {
  const server = await serve({ models: ['one', 'two'] })
  const kernel = await open({ config: { model: { base_url: server.url } } })
  expect((await kernel.run(['model', 'set', 'custom', 'three'])).err).toContain('does not list a model "three"')
  expect((await kernel.run(['model', 'set', 'custom'])).err).toContain('name a model, too')
  expect((await kernel.run(['model', 'set', 'custom', 'two'])).err).toBe('')
})

test('/model warns of a model that the server does not list, and changes it all the same', async () => {
  const server = await serve({ models: ['one', 'two'] })
  const config = { model: { provider: 'custom', base_url: server.url, default: 'one' } }
  const kernel = await open({ plugins: ['model-cli', 'conversation', 'agent'], config })
  const talk = fakeTalk(kernel)
  expect(await talk.type('/model three')).toMatch(/^three of .* in this conversation\. .* does not list this model\.$/)
  expect(talk.conversation.settings.model).toBe('three')
  expect(await talk.type('/model two')).not.toContain('does not list')
})

test('svc model test asks one question and prints the answer', async () => {
  const server = await serve({ replies: ['ready', 'ready'] })
  const kernel = await open({ config: { model: { base_url: server.url } } })
  const argv = ['model', 'test', '--provider', 'custom', '--model', 'fake-model']
  const { code, out, err } = await kernel.run(argv)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(
    /^custom fake-model answered in \d+ ms, the first word after \d+ ms, 7 tokens in, 1 out:\nready\n$/,
  )
  expect(server.requests).toHaveLength(1)
  expect(JSON.parse((await kernel.run([...argv, '--json'])).out)).toMatchObject({ ok: true, text: 'ready' })
})

test('svc model test fails with the reason', async () => {
  const server = await serve({ replies: [{ fault: { status: 401, message: 'No such key' } }] })
  const kernel = await open({ config: { model: { base_url: server.url } } })
  const { code, out, err } = await kernel.run(['model', 'test', '--provider', 'custom', '--model', 'm'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('Type `svc config set CUSTOM_API_KEY <key>`.')
})

test('svc model list fills in what is known of a model and its server did not say', async () => {
  const server = await serve({ models: ['known', 'unknown'] })
  const kernel = await open({
    config: { model: { base_url: server.url }, plugins: { disabled: ['models'] } },
    with: [describer],
  })
  expect((await kernel.run(['model', 'list', 'custom'])).out.trim().split('\n').sort()).toEqual([
    'known  (reads 200,000 tokens, writes 64,000, $3 in and $15 out a million, pictures + tools)',
    'unknown',
  ])
  const [listed] = JSON.parse((await kernel.run(['model', 'list', 'custom', '--json'])).out)
  expect(listed.models).toContainEqual(expect.objectContaining(facts))
})

const facts = {
  id: 'known',
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  price: { input: 3, output: 15, cachedInput: 0.3 },
  images: true,
  tools: true,
  reasoning: false,
}

/** Stands in for the plugin `models`. */
const describer: NonNullable<Options['with']>[number] = {
  name: 'describer',
  provides: ['models'],
  setup(ctx) {
    ctx.provide(Models, () => ({
      choose: async () => {
        throw new Error('not asked here')
      },
      similar: async () => undefined,
      fallbacks: async () => [],
      list: async (name) => {
        const served = (await ctx.all(Providers).get(name)?.models()) ?? []
        return served.map((model) => (model.id === 'known' ? facts : model))
      },
      describe: ({ model }) => (model === 'known' ? facts : { id: model }),
    }))
  },
}

test('svc model pick lets a person choose by number, by name or by a part of it', async () => {
  const models = Array.from({ length: 35 }, (_, at) => `model-${at}`)
  const server = await serve({ kind: 'ollama', models })
  const kernel = await open({ config: { providers: { ollama: { base_url: server.origin } } } })
  const { out, code } = await kernel.run(['model', 'pick'], {
    interactive: true,
    answers: ['nobody', 'ollama', 'model-3', '33'],
  })
  expect(code).toBe(0)
  expect(out).toMatch(/There is no provider "nobody"/)
  expect(out).toMatch(/and 5 more: type a part of the name/)
  expect(out).toContain('model.provider is ollama, model.default is model-3.')
  const left = await kernel.run(['model', 'pick'], { interactive: true, answers: ['ollama', ''] })
  expect(left.out).toMatch(/Nothing was written/)
  expect(await kernel.run(['model', 'pick'])).toMatchObject({ code: 2, err: expect.stringMatching(/svc model set/) })
})

test('svc model aux lists the side work, sets its model and has it tried', async () => {
  const server = await serve({ models: ['small'], replies: ['ready', 'ready'] })
  const kernel = await open({ config: { model: { base_url: server.url } } })
  expect((await kernel.run(['model', 'aux'])).out).toContain(
    'title              usual model, provider of the chat, at most 30 s\n',
  )
  const { code, out, err } = await kernel.run(['model', 'aux', 'set', 'title', 'custom', 'small'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toBe('title is done by small of custom. Take it back with `svc config undo`.\n')
  expect(readConfigFile(kernel.home)).toMatch(/auxiliary:\n {2}title:\n {4}provider: custom\n {4}model: small\n/)
  const again = await open({
    config: { model: { base_url: server.url }, auxiliary: { title: { provider: 'custom', model: 'small' } } },
  })
  expect((await again.run(['model', 'aux', 'list'])).out).toContain('title              small, custom, at most 30 s\n')
  expect((await again.run(['model', 'aux', 'test', 'title'])).out).toMatch(
    /^small of custom did the work of title in \d+ ms:\nready\n$/,
  )
  expect(JSON.parse((await again.run(['model', 'aux', 'test', 'title', '--json'])).out)).toMatchObject({
    text: 'ready',
  })
})

test('svc model aux refuses side work and providers that are not there', async () => {
  const kernel = await open()
  expect(await kernel.run(['model', 'aux', 'set', 'titel', 'groq', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/no side work "titel"\. There are: vision, .*title/),
  })
  expect(await kernel.run(['model', 'aux', 'set', 'title', 'nobody', 'x'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/"nobody".*Nothing was written\.\n$/),
  })
  expect(await kernel.run(['model', 'aux', 'test', 'title'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('AUXILIARY_MISSING'),
  })
})
