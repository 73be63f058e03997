/** Connections that are encrypted, to a real server that takes no others. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SharedStore } from 'svc/sdk/store'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const missing = missingPostgres()
const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
let server: Postgres
let ownFile: string
let otherFile: string

/** A certificate that vouches for itself: its file, and the file of its key. */
function makeCertificate(name: string, subject: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', [...kind, '-subj', `/CN=${name}`, '-addext', subject, '-keyout', key, '-out', cert], {
    stdio: 'pipe',
  })
  return { cert, key }
}

beforeAll(async () => {
  if (missing !== undefined) return
  server = await Postgres.start()
  const own = makeCertificate('server', 'subjectAltName=IP:127.0.0.1')
  ownFile = own.cert
  otherFile = makeCertificate('other', 'subjectAltName=IP:127.0.0.1').cert
  await server.encrypt(readFileSync(own.cert, 'utf8'), readFileSync(own.key, 'utf8'))
})
afterAll(async () => {
  await server?.stop()
  removeFolder(folder)
})

/** Whether an address can be used: the clock of the server is asked. */
async function reach(options: Record<string, string>, host = '127.0.0.1'): Promise<string> {
  const url = new URL(server.url)
  url.hostname = host
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value)
  const kernel = await testKernel({
    plugins: ['shared-store'],
    env: { SVC_STORAGE_URL: url.href },
    config: { storage: { timeout_seconds: 2 } },
  })
  onTestFinished(() => kernel.stop())
  try {
    const store = await kernel.use(SharedStore).open({ owner: 'board', migrations: [] })
    const { rows } = await store.sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(store.query)
    return rows[0]?.ssl === true ? 'encrypted' : 'plain'
  } catch (error) {
    return (error as Error).message
  }
}

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('a certificate that the named authority vouches for is trusted, and the name in it has to be the one of the server', async () => {
    expect(await reach({ sslmode: 'verify-full', sslrootcert: ownFile })).toBe('encrypted')
    expect(await reach({ sslmode: 'verify-full', sslrootcert: ownFile }, 'localhost')).toMatch(/certificate/i)
    expect(await reach({ sslmode: 'verify-ca', sslrootcert: ownFile }, 'localhost')).toBe('encrypted')
  })

  test('a certificate of an unknown authority is refused unless the address only asks for encryption', async () => {
    expect(await reach({ sslmode: 'verify-full', sslrootcert: otherFile })).toMatch(/certificate/i)
    expect(await reach({ sslmode: 'verify-full' })).toMatch(/certificate/i)
    expect(await reach({ sslmode: 'require' })).toBe('encrypted')
  })

  test('a server that takes encrypted connections only is named as the reason', async () => {
    expect(await reach({ sslmode: 'disable' })).toMatch(/encrypt/i)
  })
})
