import { errorCode, errorMessage, Models } from 'svc/sdk'
import { type ModelChoice, type ModelInfo, type ModelProvider, Providers } from 'svc/sdk/provider'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

type Options = NonNullable<Parameters<typeof testKernel>[0]>

type Status = Awaited<ReturnType<ModelProvider['status']>>

/** A provider that is asked nothing a test did not expect: without `models` or `status`, asking throws. */
interface Fake {
  readonly name: string
  readonly models?: readonly string[]
  readonly status?: Status | (() => Promise<Status>)
  readonly keyName?: string
}

function fakeProviders(fakes: readonly Fake[]): NonNullable<Options['with']>[number] {
  const asked = <T>(value: T | undefined, what: string): Promise<T> =>
    value === undefined ? Promise.reject(new Error(`${what} was asked`)) : Promise.resolve(value)
  return {
    name: 'fakes',
    contributes: { providers: fakes.map(({ name }) => name) },
    setup(ctx) {
      for (const { name, models, status, keyName } of fakes)
        ctx.add(Providers, {
          name,
          label: name.toUpperCase(),
          ...(keyName !== undefined && { auth: { type: 'api-key', keyNames: [keyName] } }),
          status: async () => asked(typeof status === 'function' ? await status() : status, `the status of ${name}`),
          models: () =>
            asked(
              models?.map((id): ModelInfo => ({ id })),
              `the models of ${name}`,
            ),
          stream: async function* () {},
        })
    },
  }
}

const local = (detail: string) => ({ ready: true, local: true, detail })
const absent = { ready: false, local: true, detail: 'nothing there' }
const keyed = { ready: true, detail: 'OPENAI_API_KEY is set (environment)' }
const demo: Fake = { name: 'demo', models: ['demo'] }

async function open(fakes: readonly Fake[], model: object = {}, options: Options = {}): Promise<Models> {
  const plugins = ['models']
  // The real providers would look at the ports of this machine.
  const disabled = ['provider-openai', 'provider-anthropic', 'provider-bedrock', 'provider-gemini', 'provider-demo']
  const config = { model, plugins: { disabled } }
  const kernel = await testKernel({ plugins, with: [fakeProviders(fakes)], config, clock: virtualClock(), ...options })
  onTestFinished(() => kernel.stop())
  return kernel.use(Models)
}

function brief({ provider, model, source }: ModelChoice): string[] {
  return [provider.name, model, source]
}

async function refusal(choice: Promise<ModelChoice>): Promise<string> {
  const error = await choice.then(brief, (reason: unknown) => reason)
  return `${errorCode(error)}: ${errorMessage(error)}`
}

test('what is configured is taken without asking anyone', async () => {
  const models = await open([{ name: 'custom' }, { name: 'other' }], { provider: 'custom', default: 'm1' })
  const choice = await models.choose()
  expect(brief(choice)).toEqual(['custom', 'm1', 'configured'])
  expect(choice.notes).toEqual([])
})

test('what is wanted for a turn goes before what is configured', async () => {
  const fakes = [{ name: 'custom' }, { name: 'other', models: ['only'] }]
  const models = await open(fakes, { provider: 'custom', default: 'm1' })
  expect(brief(await models.choose({ model: 'm2' }))).toEqual(['custom', 'm2', 'configured'])
  expect(brief(await models.choose({ provider: 'other', model: 'm3' }))).toEqual(['other', 'm3', 'configured'])
})

test('the configured model is not carried over to another provider', async () => {
  const fakes = [{ name: 'custom' }, { name: 'other', models: ['only'] }]
  const models = await open(fakes, { provider: 'custom', default: 'm1' })
  expect(brief(await models.choose({ provider: 'other' }))).toEqual(['other', 'only', 'configured'])
})

test('the only model of a provider need not be named', async () => {
  const models = await open([{ name: 'custom', models: ['only'] }], { provider: 'custom' })
  expect(brief(await models.choose())).toEqual(['custom', 'only', 'configured'])
})

test('one of several models has to be named', async () => {
  const names = Array.from({ length: 14 }, (_, index) => `m${index}`)
  const models = await open([{ name: 'custom', models: names }], { provider: 'custom' })
  expect(await refusal(models.choose())).toBe(
    'MODEL_NOT_CHOSEN: custom serves 14 models: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 and 2 more. Choose one with `svc config set model.default <model>`.',
  )
})

test('a provider that lists nothing says why, or the model has to be named', async () => {
  const off = { name: 'off', models: [], status: { ready: false, detail: 'OFF_KEY is not set' } }
  const mute = { name: 'mute', models: [], status: { ready: true, detail: 'it is there' } }
  const models = await open([off, mute])
  expect(await refusal(models.choose({ provider: 'off' }))).toBe(
    'MODEL_UNAVAILABLE: off cannot be used: OFF_KEY is not set.',
  )
  expect(await refusal(models.choose({ provider: 'mute' }))).toBe(
    'MODEL_NOT_CHOSEN: mute does not say which models it serves (it is there). Name one with `svc config set model.default <model>`.',
  )
})

test('an unknown provider is answered with the nearest and with all there are', async () => {
  const models = await open([{ name: 'ollama' }, { name: 'openai' }], { provider: 'olama', default: 'm' })
  expect(await refusal(models.choose())).toBe(
    'MODEL_PROVIDER_UNKNOWN: There is no model provider "olama". Did you mean ollama? There are: auto, ollama, openai, copilot-acp, moa. Set one with `svc config set model.provider <name>`.',
  )
  expect(await refusal(models.choose({ provider: 'something-else' }))).not.toContain('Did you mean')
})

test('a server of this machine is found, the first that answers', async () => {
  const fakes = [
    { name: 'one', status: absent },
    { name: 'two', status: local('it answers'), models: ['m1', 'm2'] },
    { name: 'three', status: local('it answers, too'), models: ['m3'] },
    demo,
  ]
  const choice = await (await open(fakes)).choose()
  expect(brief(choice)).toEqual(['two', 'm1', 'found'])
  expect(choice.notes).toEqual([
    'TWO was found (it answers); m1 answers.',
    'Keep it with `svc config set model.provider two` and `svc config set model.default m1`.',
  ])
})

test('a server that lists nothing is passed over', async () => {
  const fakes = [
    { name: 'one', status: local('it answers'), models: [] },
    { name: 'two', status: local('it answers'), models: ['m2'] },
  ]
  expect(brief(await (await open(fakes)).choose())).toEqual(['two', 'm2', 'found'])
})

test('a wanted model is looked for on this machine', async () => {
  const fakes = [
    { name: 'one', status: local('it answers'), models: ['m1'] },
    { name: 'two', status: local('it answers'), models: ['m2', 'm3'] },
    { name: 'paid', status: keyed },
    demo,
  ]
  const models = await open(fakes)
  expect(brief(await models.choose({ model: 'm3' }))).toEqual(['two', 'm3', 'found'])
  expect(await refusal(models.choose({ model: 'm4' }))).toBe(
    'MODEL_UNAVAILABLE: No server of this machine serves "m4". Say who does with `svc config set model.provider <name>` (paid).',
  )
  expect(brief(await models.choose({ model: 'demo' }))).toEqual(['demo', 'demo', 'demo'])
})

test('a key that only lies there is mentioned and never used', async () => {
  const fakes = [{ name: 'openai', status: keyed, models: ['gpt'] }, { name: 'one', status: absent }, demo]
  const choice = await (await open(fakes)).choose()
  expect(brief(choice)).toEqual(['demo', 'demo', 'demo'])
  expect(choice.notes[2]).toBe(
    'OPENAI_API_KEY is set (environment), but it is not used until `svc config set model.provider openai`.',
  )
})

test('a first start is explained in two lines; without the demo the error has every step', async () => {
  const fakes = [
    { name: 'openai', status: { ready: false, detail: 'OPENAI_API_KEY is not set' }, keyName: 'OPENAI_API_KEY' },
    { name: 'ollama', status: absent },
    demo,
  ]
  const models = await open(fakes)
  const choice = await models.choose()
  expect(brief(choice)).toEqual(['demo', 'demo', 'demo'])
  expect(choice.notes).toEqual([
    'No model is connected: a scripted demo answers.',
    'To connect a model, type `/connect` in the full-screen interface. In a shell, `svc doctor` lists the commands that connect one.',
  ])
  expect((await refusal(models.choose({ withoutDemo: true }))).split('\n').slice(0, 3)).toEqual([
    'MODEL_UNAVAILABLE: No model is connected. Looked for: OPENAI (OPENAI_API_KEY is not set), OLLAMA (nothing there).',
    'Connect a local or any compatible server: `svc config set model.provider custom`, `svc config set model.base_url http://host:port/v1`, `svc config set model.default <model>`.',
    'Connect OpenAI: `svc config set OPENAI_API_KEY <key>`, `svc config set model.provider openai`, `svc config set model.default <model>`.',
  ])
})

test('without the demo the same lines are the error', async () => {
  const said = await refusal((await open([{ name: 'ollama', status: absent }])).choose())
  expect(said).toMatch(/^MODEL_UNAVAILABLE: No model is connected\./)
  expect(said.split('\n')).toHaveLength(3)
})

test('an address alone is enough to be asked', async () => {
  const fakes = [{ name: 'custom', models: ['only'] }, { name: 'one' }, demo]
  const models = await open(fakes, { base_url: 'http://model.test/v1' })
  expect(brief(await models.choose())).toEqual(['custom', 'only', 'configured'])
})

test('a provider that fails or stays silent holds no one up', async () => {
  const clock = virtualClock()
  const fakes = [
    { name: 'broken', status: () => Promise.reject(new Error('it broke')) },
    { name: 'silent', status: () => new Promise<never>(() => undefined) },
    { name: 'one', status: local('it answers'), models: ['m1'] },
    demo,
  ]
  const models = await open(fakes, {}, { clock })
  const choice = models.choose()
  await clock.advance(1000)
  expect(brief(await choice)).toEqual(['one', 'm1', 'found'])
  expect(clock.pending()).toBe(0)
})

test('a misspelt provider is refused when it is written, another name of one is not', async () => {
  await using kernel = await testKernel({ plugins: ['config-cli', 'models'] })
  const typo = await kernel.run(['config', 'set', 'model.provider', 'custm'])
  expect(typo).toMatchObject({ code: 1, err: expect.stringContaining('did you mean custom?') })
  for (const name of ['custom', 'claude', 'auto'])
    expect((await kernel.run(['config', 'set', 'model.provider', name])).code, name).toBe(0)
})
