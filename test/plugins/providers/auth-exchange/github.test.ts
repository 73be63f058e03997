import { Credentials, SignInFlows } from 'svc/sdk/provider'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type Asked, findSecrets, newSecret, OAuthService, sleepless } from '../../../support/oauth-service.ts'

const EXCHANGE = 'https://api.github.com/copilot_internal/v2/token'

/** GitHub, with what it answers to an exchange. */
async function open({
  env = {},
  status = 200,
}: {
  readonly env?: Record<string, string>
  readonly status?: number
} = {}) {
  const clock = sleepless(virtualClock())
  const answer = { status }
  const exchanged: string[] = []
  const service = new OAuthService({
    clock,
    tokenUrl: 'https://github.com/login/oauth/access_token',
    deviceUrl: 'https://github.com/login/device/code',
    routes: {
      [EXCHANGE]: ({ headers }: Asked) => {
        exchanged.push(headers['authorization'] ?? '')
        if (answer.status !== 200) return { status: answer.status, body: { message: 'Bad credentials' } }
        // A clock that is a year ahead.
        const body = { token: newSecret('copilot'), expires_at: Date.UTC(2027, 0, 1) / 1000, refresh_in: 1500 }
        return { body: { ...body, endpoints: { api: 'https://api.individual.githubcopilot.com' } } }
      },
    },
  })
  const kernel = await testKernel({ plugins: ['credentials', 'auth-exchange'], clock, env, net: service.net })
  onTestFinished(() => kernel.stop())
  const flow = kernel.all(SignInFlows).get('copilot:github')
  const { signal } = new AbortController()
  const signIn = () => flow?.signIn({ say: () => undefined, show: () => undefined, ask: async () => undefined }, signal)
  return { clock, service, exchanged, answer, pool: kernel.use(Credentials), signIn }
}

test('a person signs in to GitHub, and its token is exchanged for a short one, again and again', async () => {
  const { clock, service, exchanged, pool, signIn } = await open()
  service.polls = ['authorization_pending', 'slow_down', 'approved']
  const signedIn = await signIn()
  expect(signedIn).toEqual({
    accessToken: expect.stringContaining('copilot-'),
    refreshToken: expect.stringContaining('access-'),
    expiresAt: clock.now() + 1_500_000,
    baseUrl: 'https://api.individual.githubcopilot.com',
  })
  expect(clock.slept).toEqual([5000, 5000, 10_000])
  await pool.add({
    provider: 'copilot',
    key: signedIn?.accessToken ?? '',
    flow: 'copilot:github',
    signedIn: signedIn ?? { accessToken: '' },
  })
  for (let at = 0; at < 2; at++) {
    await clock.advance(1_500_000)
    expect(await pool.take('copilot', [])).toMatchObject({ type: 'oauth', baseUrl: signedIn?.baseUrl })
  }
  expect(new Set(exchanged)).toEqual(new Set([`token ${signedIn?.refreshToken}`]))
  expect(exchanged).toHaveLength(3)
})

test('a token in a variable is exchanged once for many calls, and again when it was refused', async () => {
  const { clock, exchanged, pool } = await open({ env: { GITHUB_TOKEN: 'gho-canary-1', GH_TOKEN: 'gho-canary-2' } })
  expect(pool.status('copilot', [])).toEqual({ ready: true, detail: 'GH_TOKEN is set' })
  const leases = await Promise.all(Array.from({ length: 4 }, () => pool.take('copilot', [])))
  expect([new Set(leases.map((lease) => lease?.key)).size, exchanged]).toEqual([1, ['token gho-canary-2']])
  const refusal = { kind: 'auth', message: 'token expired', retryable: false } as const
  expect(leases[0]?.failed(refusal)).toBe(true)
  const next = await pool.take('copilot', [])
  expect(next?.key).not.toBe(leases[0]?.key)
  expect(next?.failed(refusal)).toBe(false)
  const third = await pool.take('copilot', [])
  third?.succeeded()
  expect(exchanged).toHaveLength(3)
  await clock.advance(1_500_000)
  await pool.take('copilot', [])
  expect(exchanged).toHaveLength(4)
  expect(await pool.list()).toEqual([])
})

test('a token that GitHub does not know any more disables the sign-in once', async () => {
  const { clock, exchanged, answer, pool, signIn } = await open()
  const signedIn = (await signIn()) ?? { accessToken: '' }
  await pool.add({ provider: 'copilot', key: signedIn.accessToken, flow: 'copilot:github', signedIn })
  answer.status = 401
  await clock.advance(1_500_000)
  for (let at = 0; at < 3; at++)
    await expect(pool.take('copilot', [])).rejects.toMatchObject({
      code: 'CREDENTIALS_DEAD',
      message: expect.stringContaining('`svc auth add copilot`'),
    })
  expect(exchanged).toHaveLength(2)
})

test('an account without Copilot is told in the words of GitHub, without its token', async () => {
  const { pool } = await open({ env: { GH_TOKEN: 'gho-canary-2' }, status: 403 })
  const error = await pool.take('copilot', []).catch((each: Error) => each)
  expect(error).toMatchObject({
    code: 'SIGN_IN_FAILED',
    message: expect.stringMatching(/does the account have it\?.*Bad credentials/),
  })
  expect(findSecrets(String(error))).toEqual([])
})
