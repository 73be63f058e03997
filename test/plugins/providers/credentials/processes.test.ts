import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { realClock } from '../../../../program/ports.ts'
import { OAuthService } from '../../../support/oauth-service.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-renew-'))
const program = join(folder, 'child.cjs')

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'renew-child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['svc-source'],
    logLevel: 'error',
  }),
)
afterAll(() => removeFolder(folder))

/** A service on loopback that ends a sign-in whose refresh token is used twice. */
async function serve() {
  const service = new OAuthService({ clock: realClock, tokenUrl: 'https://acme.test/token' })
  const server = await StandInServer.open(async ({ body }) => {
    // A renewal takes a moment, in which the other process asks, too.
    await new Promise((done) => setTimeout(done, 100))
    const { status, json } = await service.net.request({ url: 'https://acme.test/token', body: body.toString() })
    return { status, headers: { 'content-type': 'application/json' }, body: await json() }
  })
  onTestFinished(() => server.close())
  return { service, url: `${server.url}/token` }
}

test('processes that find the same sign-in due at once renew it once, and all have the new token', async () => {
  const { service, url } = await serve()
  const { access_token, refresh_token } = service.grant()
  const key = {
    id: 'a',
    label: 'key 1',
    auth_type: 'oauth',
    priority: 0,
    source: 'acme:oauth',
    access_token,
    refresh_token,
  }
  const entry = { ...key, expires_at: Date.now() - 1, last_status: 'ok', request_count: 0 }
  const file = join(folder, 'auth.json')
  writeFileSync(file, JSON.stringify({ version: 1, credential_pool: { acme: [entry] } }), { mode: 0o600 })
  const children = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, [program, folder, url], { stdio: ['pipe', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      return child
    }),
  )
  const answers = children.map(async (child) => {
    const said = once(child.stdout, 'data')
    child.stdin.write('go\n')
    return String((await said)[0]).trim()
  })
  const keys = new Set(await Promise.all(answers))
  expect([keys.size, service.renewals()]).toEqual([1, 1])
  expect([...keys][0]).toMatch(/^access-/)
  const [kept] = JSON.parse(readFileSync(file, 'utf8')).credential_pool.acme
  expect(kept).toMatchObject({ access_token: [...keys][0], last_status: 'ok' })
  expect(kept.refresh_token).not.toBe(refresh_token)
})
