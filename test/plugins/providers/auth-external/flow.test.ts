import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Credentials, SignInFlows } from 'svc/sdk/provider'
import type { SignInStep } from 'svc/sdk/sign-in'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { OAuthService, sleepless } from '../../../support/oauth-service.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 1)

/** A person's home with the files of other programs, and two processes of svc in it. */
async function open(files: Readonly<Record<string, unknown>> = {}) {
  const clock = sleepless(virtualClock())
  const folder = mkdtempSync(join(tmpdir(), 'svc-external-'))
  onTestFinished(() => removeFolder(folder))
  const path = (name: string) => join(folder, name)
  const write = (name: string, value: unknown) => {
    mkdirSync(join(path(name), '..'), { recursive: true })
    writeFileSync(path(name), typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 })
  }
  const read = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'))
  for (const [name, value] of Object.entries(files)) write(name, value)
  const service = new OAuthService({ clock, tokenUrl: 'https://chat.qwen.ai/api/v1/oauth2/token' })
  const kernel = async () => {
    const own = await testKernel({
      plugins: ['credentials', 'auth-external'],
      clock,
      net: service.net,
      env: { HOME: folder, CODEX_HOME: join(folder, 'codex') },
    })
    onTestFinished(() => own.stop())
    return own
  }
  const first = await kernel()
  const steps: SignInStep[] = []
  const signIn = (name: string, signal = new AbortController().signal) =>
    first
      .all(SignInFlows)
      .get(name)
      ?.signIn({ say: () => undefined, show: (step) => void steps.push(step), ask: async () => undefined }, signal)
  return { clock, service, kernel, first, pool: first.use(Credentials), steps, signIn, write, read, path }
}

const QWEN = '.qwen/oauth_creds.json'

/** As qwen-code, packages/core/src/qwen/qwenOAuth2.ts, writes it. */
function qwenFile(service: OAuthService, expiry_date: number) {
  const { access_token, refresh_token } = service.grant()
  return { access_token, refresh_token, token_type: 'Bearer', resource_url: 'portal.qwen.ai', expiry_date }
}

test('the sign-in of Qwen Code is used as it is, and its address with it', async () => {
  const { pool, service, write } = await open()
  expect(pool.status('qwen-oauth', [])).toMatchObject({ ready: false })
  const file = qwenFile(service, NOW + HOUR)
  write(QWEN, file)
  expect(pool.status('qwen-oauth', [])).toEqual({ ready: true, detail: 'Qwen Code is signed in' })
  expect(await pool.take('qwen-oauth', [])).toMatchObject({
    key: file.access_token,
    baseUrl: 'https://portal.qwen.ai/v1',
  })
  expect(service.renewals()).toBe(0)
})

test('two processes whose sign-in of Qwen Code has ended renew it once, into its file', async () => {
  const { kernel, pool, service, write, read, path } = await open()
  write(QWEN, { ...qwenFile(service, NOW - 1), own: 'field' })
  const other = (await kernel()).use(Credentials)
  const leases = await Promise.all([pool.take('qwen-oauth', []), other.take('qwen-oauth', [])])
  expect(new Set(leases.map((lease) => lease?.key)).size).toBe(1)
  expect(service.renewals()).toBe(1)
  expect(read(QWEN)).toMatchObject({ access_token: leases[0]?.key, own: 'field', expiry_date: NOW + HOUR })
  expect(statSync(path(QWEN)).mode & 0o077).toBe(0)
})

test('a sign-in that Qwen has ended names the command, and after it was run the next call goes on', async () => {
  const { pool, service, write } = await open()
  write(QWEN, qwenFile(service, NOW - 1))
  service.revoke()
  await expect(pool.take('qwen-oauth', [])).rejects.toThrow(
    'The sign-in of Qwen Code has ended. Run `qwen` in a shell.',
  )
  const file = qwenFile(service, NOW + HOUR)
  write(QWEN, file)
  expect((await pool.take('qwen-oauth', []))?.key).toBe(file.access_token)
})

test('a program that has not signed in is named, and its file is waited for', async () => {
  const { clock, signIn, steps, write } = await open({ '.claude/.credentials.json': 'not JSON' })
  const credentials = {
    claudeAiOauth: { accessToken: 'sk-ant-oat01-canary-1', refreshToken: 'r', expiresAt: NOW + HOUR },
  }
  const { sleep } = clock
  clock.sleep = async (ms, signal) => {
    if (clock.slept.length === 2) write('.claude/.credentials.json', credentials)
    await sleep(ms, signal)
  }
  expect(await signIn('anthropic:claude-code')).toEqual({ accessToken: 'sk-ant-oat01-canary-1', expiresAt: NOW + HOUR })
  expect(steps).toEqual([{ kind: 'run-command', command: 'claude /login' }])
  await expect(signIn('openai-codex:codex')).rejects.toMatchObject({
    code: 'SIGN_IN_EXPIRED',
    message: expect.stringContaining('Run `codex login`'),
  })
})

test('tokens of Claude Code and Codex are read again and never renewed here', async () => {
  const claims = Buffer.from(JSON.stringify({ exp: (NOW + HOUR) / 1000 })).toString('base64url')
  const tokens = { access_token: `e30.${claims}.canary`, refresh_token: 'refresh-canary-1', account_id: 'acc-1' }
  const { clock, service, pool, signIn, write } = await open({ 'codex/auth.json': { tokens } })
  const signedIn = (await signIn('openai-codex:codex')) ?? { accessToken: '' }
  expect(signedIn).toEqual({ accessToken: tokens.access_token, account: 'acc-1', expiresAt: NOW + HOUR })
  await pool.add({ provider: 'openai-codex', key: signedIn.accessToken, flow: 'openai-codex:codex', signedIn })
  expect(pool.status('anthropic', [])).toMatchObject({ ready: false })
  await clock.advance(HOUR)
  await expect(pool.take('openai-codex', [])).rejects.toMatchObject({
    code: 'CREDENTIALS_RESTING',
    message: expect.stringContaining('Run `codex login` in a shell'),
  })
  write('codex/auth.json', { tokens: { access_token: 'token-canary-new' } })
  await clock.advance(5 * 60_000)
  expect((await pool.take('openai-codex', []))?.key).toBe('token-canary-new')
  expect(service.asked).toEqual([])
})

test('a way of svc comes before that of another program', async () => {
  const kernel = await testKernel({ plugins: ['credentials', 'auth-external', 'auth-pkce', 'auth-device-code'] })
  onTestFinished(() => kernel.stop())
  const flows = kernel.all(SignInFlows).all()
  const first = (provider: string) => flows.find((flow) => flow.provider === provider)?.name
  expect([first('anthropic'), first('openai-codex')]).toEqual(['anthropic:oauth', 'openai-codex:device-code'])
})
