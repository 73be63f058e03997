/** Every route of the API that reads the home: `ours` with 20,000 conversations, `bare` with a hundred. */

import { gateway, KEY, type Server } from './api.ts'
import type { Bench } from './bench.ts'
import { compare } from './compare.ts'
import type { Homes } from './home-commands.ts'
import { sessionId } from './home-fill.ts'
import { createRow, type Row } from './row.ts'

/** Of one sample: a request alone is too short to be measured. */
const REQUESTS = 10
const one = `/api/sessions/${sessionId(0)}`
const routes: readonly string[] = [
  '/api/sessions',
  '/api/sessions?limit=1&offset=0&source=cli',
  one,
  `${one}/messages`,
  '/v1/models',
  '/v1/capabilities',
  '/health/detailed',
]

export async function measureRoutes({ full, few }: Homes): Promise<Row[]> {
  full.progress('routes of the API with 20,000 conversations')
  const servers = { full: await serve(full), few: await serve(few) }
  const rows: Row[] = []
  try {
    for (const route of routes) {
      const run = (server: Server) => () => ask(server, route)
      const comparison = await compare({ bare: run(servers.few), ours: run(servers.full) }, full.runs)
      const target = { max: 1.5, of: 'bare' } as const
      const row = createRow(`GET ${shown(route)}, 20,000 conversations`, 'ms', comparison.series('ms'), target)
      rows.push({ ...row, failures: comparison.failures })
    }
    return rows
  } finally {
    for (const { process: child } of Object.values(servers)) child.kill()
  }
}

const shown = (route: string) => route.replace(sessionId(0), ':id')
const serve = (bench: Bench) => gateway(bench, { url: bench.model.url, home: bench.env['SVC_HOME'] as string })

/** Milliseconds of one request. */
async function ask({ port }: Server, route: string): Promise<{ ms: number }> {
  const started = performance.now()
  for (let request = 0; request < REQUESTS; request++) {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, { headers: { authorization: `Bearer ${KEY}` } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  }
  return { ms: (performance.now() - started) / REQUESTS }
}
