import { type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { acquireApiKey, apiKeyStatus, Credentials, type LeasedCredential, type ModelEvent } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { KeyReport } from '../../sdk/model-key.ts'

/** A plugin's context with no more than keys. */
function createHost({
  pool,
  secrets,
}: {
  pool?: Credentials
  secrets: Secrets
}): Pick<PluginContext<unknown>, 'use' | 'find'> {
  const services = new Map<unknown, unknown>([
    [Credentials, pool],
    [Secrets, secrets],
  ])
  const look = (service: unknown) => services.get(service) as never
  return { use: look, find: look }
}

function variables(values: Readonly<Record<string, string>>): Secrets {
  return {
    get: (name) => values[name],
    isPlaceholder: () => false,
    source: (name) => (name in values ? 'environment' : undefined),
    mask: (text) => text,
    protect: () => undefined,
  }
}

/** A pool with one key, or with a reason for none. */
function createPool(found: LeasedCredential | Error | undefined): Credentials {
  const take = async () => {
    if (found instanceof Error) throw found
    return found
  }
  return { take, status: () => ({ ready: true, detail: 'one key' }) } as unknown as Credentials
}

function credential(told: string[], isMore = false): LeasedCredential {
  return {
    id: 'work',
    key: 'k',
    succeeded: () => void told.push('succeeded'),
    failed: ({ kind }) => {
      told.push(kind)
      return isMore
    },
  }
}

const end: ModelEvent = { type: 'end', reason: 'stop' }
const refused: ModelEvent = { type: 'failed', failure: { kind: 'rate-limit', message: 'No.', retryable: false } }

test('without a pool the first variable that is set holds the key', async () => {
  const source = createHost({ secrets: variables({ B_KEY: 'b' }) })
  expect(await acquireApiKey('p', ['A_KEY', 'B_KEY'], source)).toEqual({ value: 'b', variable: 'B_KEY' })
  expect(apiKeyStatus('p', ['A_KEY', 'B_KEY'], source)).toEqual({ ready: true, detail: 'B_KEY is set (environment)' })
  expect(apiKeyStatus('p', ['A_KEY'], source)).toEqual({ ready: false, detail: 'A_KEY is not set' })
  expect(await acquireApiKey('p', [], source)).toEqual({ value: undefined, variable: undefined })
})

test('with a pool its key is taken, and a variable is named only when it is the one', async () => {
  const secrets = variables({})
  const pooled = credential([])
  expect(await acquireApiKey('p', ['A_KEY'], createHost({ pool: createPool(pooled), secrets }))).toEqual({
    value: 'k',
    variable: undefined,
    credential: pooled,
  })
  const inVariable = { ...pooled, id: 'A_KEY' }
  expect(await acquireApiKey('p', ['A_KEY'], createHost({ pool: createPool(inVariable), secrets }))).toMatchObject({
    variable: 'A_KEY',
  })
  expect(await acquireApiKey('p', ['A_KEY'], createHost({ pool: createPool(undefined), secrets }))).toEqual({
    value: undefined,
    variable: 'A_KEY',
  })
  expect(apiKeyStatus('p', ['A_KEY'], createHost({ pool: createPool(pooled), secrets })).detail).toBe('one key')
})

test('keys that are out of use fail in the words of the pool, and are not waited for', async () => {
  const catchFailure = async (code: string) => {
    const pool = createPool(new SvcError(code, 'Out of use.'))
    return await acquireApiKey('p', [], createHost({ pool, secrets: variables({}) }))
  }
  const failure = { message: 'Out of use.', retryable: false }
  expect(await catchFailure('CREDENTIALS_RESTING')).toEqual({ failure: { kind: 'rate-limit', ...failure } })
  expect(await catchFailure('CREDENTIALS_DEAD')).toEqual({ failure: { kind: 'auth', ...failure } })
})

test('a key is told once how its call ended', () => {
  const told: string[] = []
  const report = new KeyReport({ credential: credential(told) })
  expect(report.ended([end])).toEqual([end])
  report.ended([refused])
  report.close()
  expect(told).toEqual(['succeeded'])
})

test('a refusal is worth another try at once when there is another key', () => {
  const told: string[] = []
  const [event] = new KeyReport({ credential: credential(told, true) }).ended([refused])
  expect(event).toMatchObject({ failure: { kind: 'rate-limit', retryable: true, retryAfterMs: 0 } })
  expect(new KeyReport({ credential: credential(told) }).ended([refused])).toEqual([refused])
  expect(new KeyReport({}).ended([refused])).toEqual([refused])
  expect(told).toEqual(['rate-limit', 'rate-limit'])
})

test('a call that was not read to its end sets its key free', () => {
  const told: string[] = []
  new KeyReport({ credential: credential(told) }).close()
  expect(told).toEqual(['aborted'])
})

test.for(['http://far.test/v1', 'ftp://far.test', 'https://me:secret@far.test', 'nonsense'])(
  'a key that was kept with the address %s is sent nowhere',
  async (baseUrl) => {
    const told: string[] = []
    const pool = createPool({ ...credential(told), baseUrl })
    const taken = await acquireApiKey('p', [], createHost({ pool, secrets: variables({}) }))
    expect(taken).toMatchObject({ failure: { kind: 'invalid', message: expect.stringContaining('svc auth add p') } })
    expect(told).toEqual(['invalid'])
  },
)
