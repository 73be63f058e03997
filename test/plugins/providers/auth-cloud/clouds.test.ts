import { generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServiceRequest, StandInServer } from 'svc/sdk/kit/stand-in'
import { Credentials } from 'svc/sdk/provider'
import { testKernel } from 'svc/sdk/testing'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'

afterEach(() => vi.unstubAllEnvs())

/** A metadata server, and a kernel whose process has these variables, as the vendors' packages read them. */
async function open(
  toEnv: (url: string) => Readonly<Record<string, string>>,
  answer: (request: ServiceRequest) => { readonly status?: number; readonly body?: unknown },
) {
  const asked: ServiceRequest[] = []
  const server = await StandInServer.open((request) => {
    asked.push(request)
    return { headers: { 'content-type': 'application/json', 'metadata-flavor': 'Google' }, ...answer(request) }
  })
  onTestFinished(() => server.close())
  const home = mkdtempSync(join(tmpdir(), 'svc-cloud-'))
  onTestFinished(() => removeFolder(home))
  const env = { HOME: home, ...toEnv(server.url) }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const kernel = await testKernel({ plugins: ['credentials', 'auth-cloud'], env })
  onTestFinished(() => kernel.stop())
  return { asked, pool: kernel.use(Credentials), home }
}

test('Azure: a managed identity gives a token for the scope of the provider, once for many calls', async () => {
  const { asked, pool } = await open(
    (url) => ({ IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER: 'header-canary-1' }),
    () => ({
      body: {
        access_token: 'azure-canary-1',
        expires_on: `${Math.floor(Date.now() / 1000) + 7200}`,
        token_type: 'Bearer',
      },
    }),
  )
  expect(pool.status('azure-foundry', ['AZURE_FOUNDRY_API_KEY'])).toEqual({
    ready: true,
    detail: 'IDENTITY_ENDPOINT is set',
  })
  const leases = await Promise.all([1, 2, 3].map(() => pool.take('azure-foundry', ['AZURE_FOUNDRY_API_KEY'])))
  expect(leases.map((lease) => lease?.key)).toEqual(['azure-canary-1', 'azure-canary-1', 'azure-canary-1'])
  expect(leases[0]).toMatchObject({ type: 'oauth' })
  const tokens = asked.filter(({ path }) => path === '/msi/token')
  expect(tokens.map(({ query }) => query.get('resource'))).toEqual(['https://ai.azure.com'])
  expect(tokens[0]?.headers['x-identity-header']).toBe('header-canary-1')
})

test('Google: the machine itself gives a token, and the address follows from project and location', async () => {
  const { asked, pool } = await open(
    (url) => ({
      GCE_METADATA_HOST: url.replace('http://', ''),
      VERTEX_LOCATION: 'europe-west4',
      METADATA_SERVER_DETECTION: 'assume-present',
    }),
    ({ path }) => {
      if (path.endsWith('/token'))
        return { body: { access_token: 'google-canary-1', expires_in: 3599, token_type: 'Bearer' } }
      if (path.endsWith('/project-id')) return { body: 'my-project' }
      return { body: {} }
    },
  )
  expect(pool.status('vertex', [])).toEqual({ ready: true, detail: 'GCE_METADATA_HOST is set' })
  expect(await pool.take('vertex', [])).toMatchObject({
    key: 'google-canary-1',
    baseUrl: expect.stringMatching(
      /^https:\/\/europe-west4-aiplatform\.googleapis\.com\/v1\/projects\/.*my-project.*\/locations\/europe-west4\/endpoints\/openapi$/,
    ),
  })
  expect(
    asked.filter(({ path }) => path.endsWith('/token')).every(({ headers }) => headers['metadata-flavor'] === 'Google'),
  ).toBe(true)
})

test('Google: a service account signs for itself', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let file = ''
  const { asked, pool } = await open(
    () => {
      file = join(mkdtempSync(join(tmpdir(), 'svc-account-')), 'account.json')
      const account = {
        type: 'service_account',
        project_id: 'of-the-account',
        client_email: 'svc@of-the-account.iam.gserviceaccount.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      }
      writeFileSync(file, JSON.stringify(account), { mode: 0o600 })
      return { VERTEX_CREDENTIALS: file }
    },
    () => ({}),
  )
  onTestFinished(() => removeFolder(join(file, '..')))
  const lease = await pool.take('vertex', [])
  const address = 'https://aiplatform.googleapis.com/v1/projects/of-the-account/locations/global/endpoints/openapi'
  expect(lease?.baseUrl).toBe(address)
  const [head = '', claims = '', signature = ''] = (lease?.key ?? '').split('.')
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: 'svc@of-the-account.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  })
  expect(asked).toEqual([])
})

test('a cloud that gives no token is told in a sentence with the command, and without identity the provider is not ready', async () => {
  const { pool } = await open(
    (url) => ({ IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER: 'header-canary-1', PATH: '/nowhere' }),
    () => ({ status: 400, body: { error: { message: 'No identity is assigned.' } } }),
  )
  await expect(pool.take('azure-openai', [])).rejects.toMatchObject({
    code: 'SIGN_IN_FAILED',
    message: expect.stringMatching(/^Microsoft Entra gave no token: .*`az login`\.$/s),
  })
  expect(pool.status('vertex', [])).toMatchObject({ ready: false })
})
