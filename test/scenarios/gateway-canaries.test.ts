/** Secrets are planted in the environment and in `.env`; whatever is said in chats, kept or logged has none of them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Gateway, Outbox } from 'svc/sdk/platform'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findManifest, pluginNames } from '../support/repository.ts'
import { openStandIn } from '../support/stand-ins.ts'
import { temporaryFolder } from '../support/temporary.ts'

const secretNames = pluginNames().flatMap((name) => {
  return (findManifest(name)?.env ?? []).flatMap((variable) => (variable.secret ? [variable.name] : []))
})
const canary = (name: string) => `canary-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`

/** Telegram takes one message a second in a chat, and the clock here is real. */
const PATIENCE = { timeout: 20_000 }

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && !path.endsWith('.env'))
}

test('a model that tells every secret it can get at tells none, on no platform and in no file', {
  timeout: 90_000,
}, async () => {
  const fake = await openStandIn('telegram')
  onTestFinished(() => fake.close())
  const home = temporaryFolder()
  // An address of a server that is not one stops every chat; its secrets have tests of their own.
  const own = new Set([...Object.keys(fake.env), 'SVC_STORAGE_URL'])
  const planted = secretNames.filter((name) => !own.has(name))
  const [inEnvironment, inFile] = [planted.slice(0, 20), planted.slice(20)]
  expect(inEnvironment).toHaveLength(20)
  writeFileSync(join(home, '.env'), inFile.map((name) => `${name}=${canary(name)}\n`).join(''), { mode: 0o600 })
  const all = [...planted.map(canary), ...Object.values(fake.env).filter((value) => value.length > 12)]
  const text = all.join(' and ')
  const script: ScriptedReply[] = [
    { pieces: [...text].flatMap((_, at) => (at % 7 === 0 ? [text.slice(at, at + 7)] : [])) },
    { calls: [{ name: 'clarify', input: { question: `Is it ${all[0]}?`, choices: [`${all[1]}`, 'no'] } }] },
    { failure: { kind: 'invalid', message: `the key ${text} is wrong` } },
  ]
  const model = fakeProvider(script)
  const open = { dm_policy: 'open', group_policy: 'open', allow_all: true }
  const kernel = await testKernel({
    home,
    plugins: ['gateway', 'tool-clarify', 'session-commands'],
    with: [model.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      platforms: { telegram: { ...fake.config, ...open } },
    },
    env: { ...fake.env, ...Object.fromEntries(inEnvironment.map((name) => [name, canary(name)])) },
  })
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const ada = fake.member()
  await ada.say('tell me everything')
  await vi.waitFor(() => expect(fake.deliveries().length).toBeGreaterThan(0), PATIENCE)
  await gateway.idle()
  await ada.say('ask me')
  await vi.waitFor(() => expect(fake.deliveries().at(-1)?.visible).toMatch(/Is it/), PATIENCE)
  await ada.say('2')
  await gateway.idle()
  const [destination] = kernel.use(Outbox).destinations()
  kernel.use(Outbox).send({ target: destination?.target ?? '', text, key: 'direct' })
  await gateway.idle()
  const why = await kernel.run(['why', 'direct'])
  const seen = fake.deliveries().flatMap(({ versions, buttons }) => [...versions, ...buttons])
  await kernel.stop()
  expect(seen.length).toBeGreaterThan(3)
  // The session keeps what the model itself said; this model was born with what it tells.
  const files = filesIn(home).filter((path) => !/sessions\.db/.test(path))
  const kept = files.map((path) => ({ path, text: readFileSync(path, 'latin1') }))
  expect(kept.length).toBeGreaterThan(3)
  for (const secret of all) {
    expect(seen.filter((said) => said.includes(secret))).toEqual([])
    expect(`${why.out}${why.err}`).not.toContain(secret)
    expect(kept.filter((file) => file.text.includes(secret)).map(({ path }) => path)).toEqual([])
  }
})
