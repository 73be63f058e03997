/** A process that takes the key of a sign-in that is due: `renew-child <home> <token url>`. Bundled by the test. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Clock, Home, Net, type PluginContext, Random, Secrets } from 'svc/sdk'
import { SignInFlows } from 'svc/sdk/provider'
import { createFlow } from '../../../../plugins/providers/auth-pkce/index.ts'
import type { Config } from '../../../../plugins/providers/credentials/config.ts'
import { KeyPool } from '../../../../plugins/providers/credentials/pool.ts'
import { realClock, realNet } from '../../../../program/ports.ts'

const [home = '', tokenUrl = ''] = process.argv.slice(2)
const services = new Map<unknown, unknown>([
  [Clock, realClock],
  [Net, realNet(realClock)],
  [Home, { dir: home, root: home, path: (...parts: string[]) => join(home, ...parts) }],
  [Random, { hex: (bytes: number) => randomBytes(bytes).toString('hex'), next: () => Math.random() }],
  [Secrets, { get: () => undefined, source: () => undefined, mask: (text: string) => text, protect: () => undefined }],
])
const use = (token: unknown) => services.get(token)
const vendor = {
  ...{ provider: 'acme', kind: 'oauth', label: 'Acme', authorizeUrl: 'https://acme.test', tokenUrl, clientId: 'svc' },
  ...{ returns: { page: 'https://acme.test/code' }, page: 'https://acme.test' },
}
const flow = createFlow(vendor, { use } as Pick<PluginContext<unknown>, 'use'>)
const ctx = {
  use,
  config: {},
  signal: new AbortController().signal,
  log: { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined },
  all: (point: unknown) => ({
    get: () => (point === SignInFlows ? flow : undefined),
    all: () => (point === SignInFlows ? [flow] : []),
    owner: () => undefined,
  }),
} as unknown as PluginContext<Config>

const pool = new KeyPool(ctx)
process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  const lease = await pool.take('acme', [])
  process.stdout.write(`${lease?.key}\n`)
  await sleep(1)
  process.exit(0)
})
