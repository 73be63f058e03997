import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Home, type PluginContext, Secrets, type Service } from 'svc/sdk'
import { Credentials, type ModelFailure, type OAuthTokens, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../../../plugins/providers/credentials/config.ts'
import { KeyPool } from '../../../../plugins/providers/credentials/pool.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const MINUTE = 60_000
const NAMES = ['OPENAI_API_KEY', 'OPENAI_OTHER_KEY']

interface Given {
  /** Keys of the pool; their ids and labels are those of the list. */
  readonly keys?: readonly string[]
  readonly env?: Record<string, string>
  readonly strategy?: string
  readonly flow?: Partial<SignInFlow>
  readonly home?: string
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

async function open({ keys = [], env = {}, strategy, flow, home }: Given = {}) {
  const clock = virtualClock()
  const signIn = {
    name: 'openai:oauth',
    contributes: { 'auth-flows': ['openai:oauth'] },
    setup: (ctx: { add(point: typeof SignInFlows, flow: SignInFlow): unknown }) =>
      void ctx.add(SignInFlows, {
        name: 'openai:oauth',
        provider: 'openai',
        type: 'oauth',
        label: 'Browser',
        signIn: async () => ({ accessToken: 'unused' }),
        ...flow,
      }),
  }
  const kernel = await testKernel({
    plugins: ['credentials'],
    clock,
    env,
    ...(home === undefined ? {} : { home }),
    ...(flow ? { with: [{ ...signIn, name: 'fake-flow' }] } : {}),
    config: strategy === undefined ? {} : { credential_pool_strategies: { openai: strategy } },
  })
  onTestFinished(() => kernel.stop())
  const pool = kernel.use(Credentials)
  for (const key of keys) await pool.add({ provider: 'openai', key, label: key })
  const take = async () => {
    const credential = await pool.take('openai', NAMES)
    if (!credential) throw new Error('there is no key')
    return credential
  }
  /** Takes a key and says how it went. */
  const call = async (failure?: Partial<ModelFailure>) => {
    const credential = await take()
    if (!failure) {
      credential.succeeded()
      return credential.key
    }
    return {
      key: credential.key,
      another: credential.failed({ kind: 'auth', message: 'No.', retryable: false, ...failure }),
    }
  }
  const file = join(kernel.home, 'auth.json')
  return { kernel, clock, pool, take, call, file, stored: () => JSON.parse(readFileSync(file, 'utf8')) }
}

test('without a file the first variable that holds a key is taken, and nothing is written', async () => {
  const { pool, call, file } = await open({ env: { OPENAI_OTHER_KEY: 'sk-other' } })
  expect(await call()).toBe('sk-other')
  expect(await pool.take('groq', ['GROQ_API_KEY'])).toBeUndefined()
  expect(existsSync(file)).toBe(false)
})

test('a key in the only variable never rests: what the service says is worth more', async () => {
  const { call } = await open({ env: { OPENAI_API_KEY: 'sk-only' } })
  for (const kind of ['auth', 'billing', 'rate-limit'] as const)
    expect(await call({ kind })).toEqual({ key: 'sk-only', another: false })
  expect(await call({ message: 'token_revoked' })).toEqual({ key: 'sk-only', another: false })
  expect(await call()).toBe('sk-only')
})

test('the pool comes before the variables, which take part behind it', async () => {
  const { call } = await open({ keys: ['sk-first', 'sk-second'], env: { OPENAI_API_KEY: 'sk-variable' } })
  expect(await call({ kind: 'billing' })).toEqual({ key: 'sk-first', another: true })
  expect(await call({ kind: 'billing' })).toEqual({ key: 'sk-second', another: true })
  expect(await call()).toBe('sk-variable')
})

test('a key rests five minutes after 401 and an hour after 402 and 403', async () => {
  const { clock, call } = await open({ keys: ['sk-first', 'sk-second'] })
  expect(await call({ kind: 'auth', status: 401 })).toEqual({ key: 'sk-first', another: true })
  expect(await call()).toBe('sk-second')
  await clock.advance(5 * MINUTE)
  expect(await call({ kind: 'billing', status: 402 })).toEqual({ key: 'sk-first', another: true })
  await clock.advance(59 * MINUTE)
  expect(await call()).toBe('sk-second')
  await clock.advance(MINUTE)
  expect(await call({ kind: 'auth', status: 403 })).toEqual({ key: 'sk-first', another: true })
  await clock.advance(59 * MINUTE)
  expect(await call()).toBe('sk-second')
})

test('after 429 the same key is tried once more, then another one', async () => {
  const { call } = await open({ keys: ['sk-first', 'sk-second'], strategy: 'round_robin' })
  expect(await call({ kind: 'rate-limit' })).toEqual({ key: 'sk-first', another: true })
  expect(await call({ kind: 'rate-limit' })).toEqual({ key: 'sk-first', another: true })
  expect(await call()).toBe('sk-second')
  expect(await call()).toBe('sk-second')
})

test('a call that went well forgives the 429 before it', async () => {
  const { call } = await open({ keys: ['sk-first', 'sk-second'] })
  for (let at = 0; at < 3; at++) {
    expect(await call({ kind: 'rate-limit' })).toEqual({ key: 'sk-first', another: true })
    expect(await call()).toBe('sk-first')
  }
})

test('the time that the service names wins, also for a key that is alone', async () => {
  const { clock, call } = await open({ keys: ['sk-only'] })
  expect(await call({ kind: 'rate-limit', retryAfterMs: 90_000 })).toEqual({ key: 'sk-only', another: false })
  await expect(call()).rejects.toMatchObject({
    code: 'CREDENTIALS_RESTING',
    message: expect.stringMatching(
      /The key of openai rests until 2026-01-01T00:01:30.000Z \(in 2 min\): No\. .*svc auth reset openai/,
    ),
  })
  await clock.advance(90_000)
  expect(await call()).toBe('sk-only')
})

test('the last key that was not revoked is alone, and does not rest without a word for how long', async () => {
  const { call } = await open({ keys: ['sk-first', 'sk-second'] })
  await call({ code: 'token_revoked' })
  for (let at = 0; at < 3; at++)
    expect(await call({ kind: 'rate-limit' })).toEqual({ key: 'sk-second', another: false })
})

test('what is no matter of the key leaves it alone', async () => {
  const { call } = await open({ keys: ['sk-first', 'sk-second'] })
  for (const kind of [
    'overloaded',
    'server',
    'timeout',
    'unreachable',
    'invalid',
    'aborted',
    'context-overflow',
  ] as const)
    expect(await call({ kind })).toEqual({ key: 'sk-first', another: false })
  expect(await call()).toBe('sk-first')
})

test('a revoked key is dead until it is added again or reset', async () => {
  const { clock, call, pool } = await open({ keys: ['sk-first', 'sk-second'] })
  expect(await call({ code: 'token_revoked' })).toEqual({ key: 'sk-first', another: true })
  await clock.advance(1000 * MINUTE)
  expect(await call({ message: 'It said invalid_grant.' })).toEqual({ key: 'sk-second', another: false })
  await expect(call()).rejects.toMatchObject({
    code: 'CREDENTIALS_DEAD',
    message: expect.stringContaining('all 2 keys'),
  })
  await pool.add({ provider: 'openai', key: 'sk-second' })
  expect(await call()).toBe('sk-second')
  expect((await pool.reset('openai')).map(({ label, status }) => [label, status])).toEqual([['sk-first', 'dead']])
  expect(await call()).toBe('sk-first')
})

test("what one process learns is in the file for all others, with the service's words", async () => {
  const { kernel, call, stored } = await open({ keys: ['sk-first', 'sk-second'], home: newFolder() })
  await call({ kind: 'billing', message: 'You have no credit.', code: 'insufficient_quota' })
  await call()
  await kernel.stop()
  expect(stored().credential_pool.openai).toMatchObject([
    {
      access_token: 'sk-first',
      last_status: 'exhausted',
      last_error_code: 'insufficient_quota',
      last_error_message: 'You have no credit.',
      last_error_reset_at: Date.UTC(2026, 0, 1, 1),
      request_count: 1,
    },
    { access_token: 'sk-second', last_status: 'ok', request_count: 1 },
  ])
})

test('a change that another process made to the file is seen by the next call', async () => {
  const { call, file, stored } = await open({ keys: ['sk-first', 'sk-second'] })
  expect(await call()).toBe('sk-first')
  const changed = stored()
  changed.credential_pool.openai.shift()
  writeFileSync(file, JSON.stringify(changed))
  expect(await call()).toBe('sk-second')
})

test('parallel calls spread over the keys, and a call that never ends holds its key for a quarter of an hour', async () => {
  const { clock, take } = await open({ keys: ['sk-key-1', 'sk-key-2', 'sk-key-3'] })
  const taken = [await take(), await take(), await take(), await take()]
  expect(taken.map(({ key }) => key)).toEqual(['sk-key-1', 'sk-key-2', 'sk-key-3', 'sk-key-1'])
  taken[1]?.succeeded()
  taken[1]?.succeeded()
  expect((await take()).key).toBe('sk-key-2')
  await clock.advance(15 * MINUTE)
  expect((await take()).key).toBe('sk-key-1')
})

test('least_used counts calls with keys in variables, too', async () => {
  const { call } = await open({ keys: ['sk-first'], env: { OPENAI_API_KEY: 'sk-variable' }, strategy: 'least_used' })
  const keys = [await call(), await call(), await call(), await call()]
  expect(keys).toEqual(['sk-first', 'sk-variable', 'sk-first', 'sk-variable'])
})

test('a service that repeats the key in its refusal does not bring it into the log or the list', async () => {
  const { kernel, pool, call } = await open({ keys: ['sk-canary-1', 'sk-canary-2'] })
  await call({ kind: 'billing', message: 'The key sk-canary-1 has no credit.' })
  expect(await pool.list()).toMatchObject([{ error: 'The key *** has no credit.' }, {}])
  expect(readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')).not.toContain('sk-canary')
})

test('a broken file stops no one who has a variable, and is said', async () => {
  const { kernel, pool, call, file } = await open({ env: { OPENAI_API_KEY: 'sk-variable' } })
  writeFileSync(file, 'not json')
  expect(await call()).toBe('sk-variable')
  expect(readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')).toContain('it is not JSON')
  await expect(pool.take('groq', ['GROQ_API_KEY'])).rejects.toMatchObject({ code: 'CREDENTIALS_UNREADABLE' })
  await expect(pool.add({ provider: 'groq', key: 'gsk-123456' })).rejects.toMatchObject({
    code: 'CREDENTIALS_UNREADABLE',
  })
  expect(readFileSync(file, 'utf8')).toBe('not json')
})

test('keys and tokens of the file are masked everywhere, also those that were removed', async () => {
  const { kernel, pool, file } = await open({ keys: ['sk-canary-pool', 'sk-canary-gone'] })
  const [, second] = await pool.list('openai')
  await pool.remove('openai', [second?.id ?? ''])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const other = await testKernel({ plugins: ['credentials'], home: kernel.home })
  onTestFinished(() => other.stop())
  await other.use(Credentials).take('openai', [])
  expect(other.use(Secrets).mask('sk-canary-pool and sk-canary-gone')).toBe('*** and ***')
})

test('a placeholder is no key', async () => {
  const { pool, file } = await open()
  for (const key of ['', 'abc', 'changeme', 'your-api-key', 'xxxxxxxx', '<key>', 'two words'])
    await expect(pool.add({ provider: 'openai', key })).rejects.toMatchObject({ code: 'CREDENTIALS_PLACEHOLDER' })
  expect(existsSync(file)).toBe(false)
})

test('removed keys can be brought back for a day, then they are gone from the file', async () => {
  const { clock, pool, call, stored } = await open({ keys: ['sk-first', 'sk-second'] })
  const ids = (await pool.list('openai')).map(({ id }) => id)
  await expect(pool.remove('openai', ['nope'])).rejects.toMatchObject({ code: 'CREDENTIALS_UNKNOWN' })
  await pool.remove('openai', ids)
  expect(await pool.list()).toEqual([])
  await pool.restore(ids.slice(0, 1))
  expect(await call()).toBe('sk-first')
  await clock.advance(24 * 60 * MINUTE)
  await expect(pool.restore(ids.slice(1))).rejects.toMatchObject({ code: 'CREDENTIALS_UNKNOWN' })
  await pool.add({ provider: 'groq', key: 'gsk-123456' })
  expect(JSON.stringify(stored())).not.toContain('sk-second')
})

test('a provider says what it has without asking anyone', async () => {
  const { pool, call } = await open({ keys: ['sk-first'], env: { GROQ_API_KEY: 'gsk-1' } })
  expect(pool.status('openai', NAMES)).toEqual({ ready: true, detail: 'one key in auth.json' })
  expect(pool.status('groq', ['GROQ_API_KEY'])).toEqual({ ready: true, detail: 'GROQ_API_KEY is set (environment)' })
  expect(pool.status('xai', ['XAI_API_KEY'])).toEqual({ ready: false, detail: 'XAI_API_KEY is not set' })
  await call({ code: 'token_revoked' })
  expect(pool.status('openai', NAMES)).toMatchObject({ ready: false, detail: expect.stringContaining('svc auth list') })
})

test('a profile without keys of its own uses those of the default profile and never writes there', async () => {
  const { kernel, pool, file } = await open({ keys: ['sk-first', 'sk-second'] })
  const before = readFileSync(file, 'utf8')
  const dir = join(kernel.home, 'profiles', 'work')
  const home: Home = { dir, root: kernel.home, profile: 'work', path: (...parts) => join(dir, ...parts) }
  const use = <T>(token: Service<T>) => (token.id === Home.id ? (home as T) : kernel.use(token))
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const ofProfile = new KeyPool({ use, log, config: {}, all: kernel.all } as unknown as PluginContext<Config>)
  const first = await ofProfile.take('openai', [])
  expect(first?.key).toBe('sk-first')
  expect(first?.failed({ kind: 'billing', message: 'No.', retryable: false })).toBe(true)
  expect((await ofProfile.take('openai', []))?.key).toBe('sk-second')
  await ofProfile.close()
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await pool.take('openai', []))?.key).toBe('sk-first')
})

const later = (clock: { now(): number }, minutes: number) => clock.now() + minutes * MINUTE

test('a sign-in that ends soon is renewed once, however many ask', async () => {
  const asked: OAuthTokens[] = []
  const { clock, pool, call, stored } = await open({
    flow: {
      refresh: async (state) => {
        asked.push(state)
        return {
          accessToken: 'token-new',
          refreshToken: 'refresh-new',
          expiresAt: (state.expiresAt ?? 0) + 60 * MINUTE,
        }
      },
    },
  })
  const signedIn = { accessToken: 'token-old', refreshToken: 'refresh-old', expiresAt: later(clock, 10), account: 'me' }
  await pool.add({ provider: 'openai', key: 'token-old', flow: 'openai:oauth', signedIn })
  expect(await call()).toBe('token-old')
  await clock.advance(9 * MINUTE)
  expect(await Promise.all([call(), call(), call()])).toEqual(['token-new', 'token-new', 'token-new'])
  expect(asked).toEqual([signedIn])
  expect(stored().credential_pool.openai[0]).toMatchObject({ access_token: 'token-new', refresh_token: 'refresh-new' })
})

test('a refused sign-in is renewed before its key rests, and once only', async () => {
  let number = 0
  const { pool, call } = await open({ flow: { refresh: async () => ({ accessToken: `token-${++number}` }) } })
  await pool.add({ provider: 'openai', key: 'token-0', flow: 'openai:oauth', signedIn: { accessToken: 'token-0' } })
  expect(await call({ status: 401 })).toEqual({ key: 'token-0', another: true })
  expect(await call({ status: 401 })).toEqual({ key: 'token-1', another: false })
  expect(await call()).toBe('token-1')
  expect(await call({ status: 401 })).toEqual({ key: 'token-1', another: true })
  expect(await call()).toBe('token-2')
})

test('a sign-in that was revoked is dead, and the next key is taken', async () => {
  const { clock, pool, call } = await open({
    keys: [],
    flow: {
      refresh: async () => {
        throw new Error('The service said invalid_grant.')
      },
    },
  })
  const signedIn = { accessToken: 'token-old', expiresAt: later(clock, 1) }
  await pool.add({ provider: 'openai', key: 'token-old', flow: 'openai:oauth', signedIn })
  await pool.add({ provider: 'openai', key: 'sk-typed' })
  expect(await call()).toBe('sk-typed')
  expect((await pool.list('openai')).map(({ status, type }) => [status, type])).toEqual([
    ['dead', 'oauth'],
    ['ok', 'api-key'],
  ])
})

test('a service that does not answer a renewal is not waited for, and the old token serves while it holds', async () => {
  const { clock, pool, call } = await open({ flow: { refresh: () => new Promise(() => {}) } })
  const signedIn = { accessToken: 'token-old', expiresAt: later(clock, 1) }
  await pool.add({ provider: 'openai', key: 'token-old', flow: 'openai:oauth', signedIn })
  const calling = call()
  await expect.poll(() => clock.pending()).toBeGreaterThan(0)
  await clock.advance(10_000)
  expect(await calling).toBe('token-old')
})
