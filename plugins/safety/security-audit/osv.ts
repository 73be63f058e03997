/** Client of the OSV API: https://google.github.io/osv.dev/api/ */
import { type Clock, errorMessage, type Logger, type Net, SvcError } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'
import type { AuditComponent } from 'svc/sdk/safety'
import type { Cache } from 'svc/sdk/storage'
import { z } from 'zod'

/** At most so many queries at once: https://google.github.io/osv.dev/post-v1-querybatch/ */
const BATCH = 1000
const PARALLEL = 8
const ATTEMPTS = 3
const WAIT = { firstMs: 500, maxMs: 4000 }

const severity = z.array(z.object({ score: z.string() })).catch([])
const event = z.object({ fixed: z.string().optional() })
const affected = z.object({
  package: z.object({ name: z.string(), ecosystem: z.string() }).optional(),
  ranges: z.array(z.object({ type: z.string(), events: z.array(event).catch([]) })).catch([]),
  severity: severity.default([]),
})

/** A record, as far as it is used: https://ossf.github.io/osv-schema/ */
export const advisory = z.object({
  id: z.string(),
  modified: z.string().default(''),
  summary: z.string().default(''),
  details: z.string().default(''),
  aliases: z.array(z.string()).default([]),
  withdrawn: z.string().optional(),
  severity: severity.default([]),
  affected: z.array(affected).default([]),
  database_specific: z
    .object({ severity: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
export type Advisory = z.infer<typeof advisory>

const listed = z.object({ id: z.string(), modified: z.string().default('') })
const batch = z.object({
  results: z.array(z.object({ vulns: z.array(listed).default([]), next_page_token: z.string().optional() })),
})
type Listed = z.infer<typeof listed>

interface Query {
  readonly at: number
  readonly page?: string
}

export interface OsvDeps {
  readonly net: Net
  readonly clock: Clock
  readonly log: Logger
  /** Records by id and time of change, which never change again. */
  readonly cache?: Cache<Advisory>
  readonly url: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** For each component the ids of its advisories with the time of their last change, in the order of `components`. */
export async function queryAdvisories(components: readonly AuditComponent[], deps: OsvDeps): Promise<Listed[][]> {
  const found: Listed[][] = components.map(() => [])
  let waiting: Query[] = components.map((_, at) => ({ at }))
  while (waiting.length > 0) {
    const queries = waiting.splice(0, BATCH)
    const { results } = await ask(deps, 'v1/querybatch', batch, {
      queries: queries.map(({ at, page }) => toQuery(components[at] as AuditComponent, page)),
    })
    if (results.length !== queries.length)
      throw failed(deps, `it answered ${results.length} of ${queries.length} queries`)
    const further: Query[] = []
    for (const [index, { vulns, next_page_token: page }] of results.entries()) {
      const { at } = queries[index] as Query
      found[at]?.push(...vulns)
      if (page) further.push({ at, page })
    }
    waiting = [...further, ...waiting]
  }
  return found
}

/** The records of advisories, each id once. */
export async function fetchAdvisories(
  ids: readonly Listed[],
  deps: OsvDeps,
  progress: (done: number, total: number) => void,
): Promise<Map<string, Advisory>> {
  const records = new Map<string, Advisory>()
  const waiting = [...new Map(ids.map((each) => [each.id, each])).values()]
  const total = waiting.length
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      records.set(next.id, await fetchAdvisory(next, deps))
      progress(records.size, total)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return records
}

async function fetchAdvisory({ id, modified }: Listed, deps: OsvDeps): Promise<Advisory> {
  const key = `${id} ${modified}`
  const kept = modified === '' ? undefined : await deps.cache?.get(key)
  if (kept) return kept
  const record = await ask(deps, `v1/vulns/${encodeURIComponent(id)}`, advisory)
  if (modified !== '') await deps.cache?.set(key, record)
  return record
}

function toQuery({ name, version, ecosystem }: AuditComponent, page: string | undefined): object {
  return { package: { name, ecosystem }, version, ...(page !== undefined && { page_token: page }) }
}

/** Asks again when the server is busy or cannot be reached. */
async function ask<T>(deps: OsvDeps, path: string, schema: z.ZodType<T>, json?: unknown): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const answer = await askOnce(deps, path, schema, json)
    if ('value' in answer) return answer.value
    if (attempt === ATTEMPTS || !answer.isPassing) throw failed(deps, answer.problem)
    await deps.clock.sleep(backoff(WAIT, attempt), deps.signal)
  }
}

/** `isPassing`: the next attempt may be answered. */
type Answer<T> = { readonly value: T } | { readonly problem: string; readonly isPassing: boolean }

async function askOnce<T>(deps: OsvDeps, path: string, schema: z.ZodType<T>, json: unknown): Promise<Answer<T>> {
  const { signal, timeoutMs } = deps
  const url = `${deps.url.replace(/\/+$/, '')}/${path}`
  try {
    const body = json === undefined ? {} : { json }
    const response = await deps.net.request({ url, signal, timeoutMs, idleMs: timeoutMs, ...body })
    if (response.status === 200) return { value: await response.json(schema) }
    response.close()
    const isPassing = response.status === 429 || response.status >= 500
    return { problem: `it answered with status ${response.status}`, isPassing }
  } catch (error) {
    signal.throwIfAborted()
    deps.log.info('the database of advisories did not answer', { url, error })
    const isPassing = !(error instanceof SvcError && error.code === 'NET_JSON')
    return { problem: errorMessage(error), isPassing }
  }
}

function failed({ url }: OsvDeps, problem: string): SvcError {
  return new SvcError(
    'AUDIT_FAILED',
    `The advisories of ${new URL(url).host} could not be read: ${problem.replace(/\.$/, '')}. Nothing was audited; try again when the server can be reached, or name a mirror: svc config set security_audit.url URL`,
  )
}
