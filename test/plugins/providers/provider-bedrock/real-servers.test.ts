/** The chain of AWS by the vendor's package, before stand-ins of its metadata services. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServiceRequest, StandInServer } from 'svc/sdk/kit/stand-in'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { ask, collectFailure } from '../../../support/ask-model.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { at, serve } from './ask.ts'

afterEach(() => vi.unstubAllEnvs())

const keys = (expires: number) => ({
  AccessKeyId: 'ASIACANARY',
  SecretAccessKey: 'secret-canary-1',
  Token: 'session-canary-1',
  Expiration: new Date(expires).toISOString(),
})

/** Bedrock, a metadata service, and a process that has these variables and files. */
async function open(
  toEnv: (url: string, home: string) => Readonly<Record<string, string>>,
  answer: (request: ServiceRequest) => { readonly status?: number; readonly body?: unknown },
) {
  const asked: string[] = []
  const metadata = await StandInServer.open((request) => {
    asked.push(`${request.method} ${request.path}`)
    return answer(request)
  })
  onTestFinished(() => metadata.close())
  const home = mkdtempSync(join(tmpdir(), 'svc-aws-'))
  onTestFinished(() => removeFolder(home))
  mkdirSync(join(home, '.aws'))
  const env = { HOME: home, AWS_REGION: 'eu-central-1', ...toEnv(metadata.url, home) }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const server = await serve({ replies: ['Hi.', 'Hi.'] })
  return { server, asked, bedrock: await at(server.url, { env }) }
}

const sent = (server: Awaited<ReturnType<typeof serve>>) =>
  server.requests.map(({ headers }) => [
    headers['x-amz-security-token'],
    headers.authorization?.match(/Credential=(\w+)/)?.[1],
  ])

test('a container has a role: its keys are asked for once, and requests are signed with them', async () => {
  const { server, asked, bedrock } = await open(
    (url) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Basic canary' }),
    ({ headers }) =>
      headers['authorization'] === 'Basic canary' ? { body: keys(Date.UTC(2026, 0, 1, 6)) } : { status: 401 },
  )
  const detail = 'the credential chain of AWS is asked (AWS_CONTAINER_CREDENTIALS_FULL_URI), region eu-central-1'
  expect(await bedrock.status()).toEqual({ ready: true, detail })
  await ask(bedrock)
  await ask(bedrock)
  expect(sent(server)).toEqual([
    ['session-canary-1', 'ASIACANARY'],
    ['session-canary-1', 'ASIACANARY'],
  ])
  expect(asked).toEqual(['GET /role'])
})

test('an instance has a role, behind a token of the metadata service', async () => {
  const { server, asked, bedrock } = await open(
    (url) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: url }),
    ({ method, path, headers }) => {
      if (method === 'PUT') return { body: 'imds-token' }
      if (headers['x-aws-ec2-metadata-token'] !== 'imds-token') return { status: 401 }
      return path.endsWith('/security-credentials/')
        ? { body: 'my-role' }
        : { body: { Code: 'Success', ...keys(Date.now() + 3_600_000) } }
    },
  )
  await ask(bedrock)
  expect(sent(server)).toEqual([['session-canary-1', 'ASIACANARY']])
  expect(asked[0]).toBe('PUT /latest/api/token')
})

test('a profile of IAM Identity Center that has to sign in again says so', async () => {
  const { server, bedrock } = await open(
    (_, home) => {
      const lines = ['[profile work]', 'sso_session = corp', 'sso_account_id = 1', 'sso_role_name = r']
      const session = ['[sso-session corp]', 'sso_region = eu-central-1', 'sso_start_url = https://corp.example/start']
      writeFileSync(join(home, '.aws/config'), [...lines, ...session, ''].join('\n'))
      return { AWS_PROFILE: 'work' }
    },
    () => ({ status: 404 }),
  )
  expect(await bedrock.status()).toMatchObject({ ready: true, detail: expect.stringContaining('the profile work') })
  const failure = await collectFailure(bedrock)
  expect(failure).toMatchObject({
    kind: 'auth',
    message: expect.stringMatching(/AWS gave no keys \(the profile work\).*`aws sso login`/),
  })
  expect(server.requests).toEqual([])
})

test('a profile whose keys a program gives', async () => {
  const { server, bedrock } = await open(
    (_, home) => {
      const text = JSON.stringify({ Version: 1, ...keys(Date.now() + 3_600_000), SessionToken: 'session-canary-1' })
      writeFileSync(join(home, 'keys.json'), text)
      writeFileSync(join(home, '.aws/config'), `[profile tool]\ncredential_process = cat ${join(home, 'keys.json')}\n`)
      return { AWS_PROFILE: 'tool' }
    },
    () => ({ status: 404 }),
  )
  await ask(bedrock)
  expect(sent(server)).toEqual([['session-canary-1', 'ASIACANARY']])
})
