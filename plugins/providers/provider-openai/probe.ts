/** Looks for a local server at its addresses, all at once. A closed port answers at once, a silent one gets 250 ms. */
import { Clock, Net, tryParseJson } from 'svc/sdk'
import type { ModelInfo } from 'svc/sdk/provider'
import type { LocalEntry } from './catalog.ts'
import { type BadAddress, type Deps, type Endpoint, findAddresses, requestTo, resolveEndpoint } from './endpoint.ts'
import type { Answer } from './recognise.ts'

const LIMIT_MS = 250
const MAX_ANSWER_BYTES = 4 * 2 ** 20

/** What is at one address. `other`: something answers there, but not this server. */
export interface ProbeResult {
  readonly address: string
  readonly state: 'ready' | 'loading' | 'locked' | 'other' | 'absent'
  readonly models: readonly ModelInfo[]
}

const RANK: readonly ProbeResult['state'][] = ['ready', 'loading', 'locked', 'other', 'absent']

/** The best of what is found at the entry's addresses. */
export async function probe(entry: LocalEntry, deps: Deps): Promise<ProbeResult | BadAddress> {
  const clock = deps.use(Clock)
  const deadline = new AbortController()
  const cancel = clock.after(LIMIT_MS, () => deadline.abort(), { background: true })
  try {
    const found = await Promise.all(
      findAddresses(entry, deps).map(async (address) => {
        const endpoint = resolveEndpoint(entry, deps, address)
        return 'problem' in endpoint ? endpoint : probeAddress(entry, endpoint, address, deps, deadline.signal)
      }),
    )
    return found.reduce((best, next) => (rank(next) < rank(best) ? next : best))
  } finally {
    cancel()
  }
}

function rank(found: ProbeResult | BadAddress): number {
  return 'problem' in found ? RANK.length : RANK.indexOf(found.state)
}

async function probeAddress(
  entry: LocalEntry,
  endpoint: Endpoint,
  address: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const answers = await Promise.all(entry.paths.map((path) => ask(endpoint, path, deps, signal)))
  const recognised = entry.recognise(answers)
  if (recognised)
    return { address, state: recognised.state, models: recognised.state === 'ready' ? recognised.models : [] }
  return { address, state: answers.some((answer) => answer) ? 'other' : 'absent', models: [] }
}

/** Undefined if no server answers in time, which is a result and not a failure. */
async function ask(endpoint: Endpoint, path: string, deps: Deps, signal: AbortSignal): Promise<Answer | undefined> {
  const { headers } = requestTo(endpoint, '')
  const url = endpoint.baseUrl.replace(/\/v1$/, '') + path
  try {
    const response = await deps.use(Net).request({ url, headers, signal })
    return {
      status: response.status,
      headers: response.headers,
      json: tryParseJson(await response.text(MAX_ANSWER_BYTES))?.value,
    }
  } catch {
    return undefined
  }
}
