import { Credentials, type OAuthTokens, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { type SignInPerson, SignIns } from 'svc/sdk/sign-in'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const MINUTE = 60_000
const URL_STEP = { kind: 'open-url', url: 'https://acme.example/authorize', returns: 'paste', expiresAt: 1 } as const
const { signal } = new AbortController()

/** A kernel with a flow that does what the test says. */
async function open(signIn: (person: SignInPerson, signal: AbortSignal) => Promise<OAuthTokens>) {
  const clock = virtualClock()
  const flow: SignInFlow = { name: 'acme:oauth', provider: 'acme', type: 'oauth', label: 'Acme', signIn }
  const fake = {
    name: 'fake-flow',
    contributes: { 'auth-flows': ['acme:oauth'] },
    setup: (ctx: { add(point: typeof SignInFlows, flow: SignInFlow): unknown }) => void ctx.add(SignInFlows, flow),
  }
  const kernel = await testKernel({ plugins: ['auth-attempts'], clock, with: [fake] })
  onTestFinished(() => kernel.stop())
  const keys = () => kernel.use(Credentials).list('acme')
  return { kernel, clock, keys, start: () => kernel.use(SignIns).start('acme:oauth', { label: 'work' }) }
}

async function pasting(person: SignInPerson): Promise<OAuthTokens> {
  person.show(URL_STEP)
  const code = await person.ask('Code: ')
  if (code !== 'good')
    throw Object.assign(new Error(`The code ${code} is wrong.`), { name: 'SvcError', code: 'SIGN_IN_FAILED' })
  return { accessToken: 'token-canary-0123456789', account: 'me' }
}

test('an attempt shows its step, waits for the code, and keeps what the sign-in left', async () => {
  const { start, keys } = await open(pasting)
  const attempt = start()
  const asked = attempt.state.prompt ? attempt.state : await attempt.changed(attempt.state, signal)
  expect(asked).toEqual({ status: 'pending', step: URL_STEP, prompt: 'Code: ' })
  const ended = await attempt.submit('good', signal)
  expect(ended).toMatchObject({
    status: 'approved',
    credential: { label: 'work', source: 'acme:oauth', account: 'me' },
  })
  expect(JSON.stringify(ended)).not.toContain('canary')
  expect(await keys()).toHaveLength(1)
  await expect(attempt.submit('good', signal)).rejects.toMatchObject({ code: 'SIGN_IN_NOT_ASKED', status: 409 })
  expect(await attempt.changed(ended, signal)).toBe(ended)
})

test('a wrong code ends the attempt with what the service said, and keeps nothing', async () => {
  const { start, keys } = await open(pasting)
  expect(await start().submit('bad', signal)).toEqual({ status: 'failed', message: 'The code bad is wrong.' })
  expect(await keys()).toEqual([])
})

test('an attempt that is cancelled keeps nothing, also when the sign-in ends well afterwards', async () => {
  let finish: (tokens: OAuthTokens) => void = () => undefined
  let given: AbortSignal | undefined
  const { start, keys } = await open((_, own) => {
    given = own
    return new Promise((resolve) => {
      finish = resolve
    })
  })
  const attempt = start()
  const waiting = attempt.changed(attempt.state, signal)
  attempt.cancel()
  expect(await waiting).toEqual({ status: 'cancelled' })
  expect(given?.aborted).toBe(true)
  expect(await keys()).toEqual([])
  finish({ accessToken: 'token-canary-0123456789' })
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done))
  expect([attempt.state.status, await keys()]).toEqual(['cancelled', []])
})

test('without a code it expires after 15 minutes, is known for 15 more, and is forgotten then', async () => {
  const { kernel, clock, start } = await open(pasting)
  const attempt = start()
  await clock.advance(15 * MINUTE)
  expect(attempt.state).toEqual({ status: 'expired', message: 'The sign-in was not completed in time. Begin again.' })
  expect(kernel.use(SignIns).find(attempt.id)).toBe(attempt)
  await clock.advance(15 * MINUTE)
  expect(kernel.use(SignIns).find(attempt.id)).toBeUndefined()
})

test('16 are under way at most, an unknown way is refused, and ids cannot be guessed', async () => {
  const { kernel, start } = await open(pasting)
  const ids = Array.from({ length: 16 }, () => start().id)
  expect(new Set(ids.map((id) => id.length))).toEqual(new Set([32]))
  expect(start).toThrow(expect.objectContaining({ code: 'SIGN_IN_TOO_MANY', status: 429 }))
  expect(() => kernel.use(SignIns).start('acme:magic')).toThrow(expect.objectContaining({ code: 'SIGN_IN_UNKNOWN' }))
  kernel
    .use(SignIns)
    .find(ids[0] ?? '')
    ?.cancel()
  expect(start().state.status).toBe('pending')
})
