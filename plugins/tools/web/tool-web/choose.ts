/** Which backends are asked, in which order, and what became of each. */
import { type Clock, errorCode, errorMessage, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { WebSearchProvider } from 'svc/sdk/web'
import type { Config } from './config.ts'

export type Job = 'search' | 'extract'

export interface BackendDeps {
  readonly config: Pick<Config, 'backend' | 'search_backend' | 'extract_backend'>
  readonly backends: () => readonly WebSearchProvider[]
  readonly clock: () => Clock
  /** A backend failed. */
  onFault(backend: string, error: unknown): void
}

/** The usable backends, first choice first, and why the one that the user named is not among them. */
export interface Choice {
  readonly backends: readonly WebSearchProvider[]
  readonly notes: readonly string[]
}

/** What a backend gave, with its name and what went wrong before it. */
export interface Outcome<T> {
  readonly value: T
  readonly backend: string
  readonly notes: readonly string[]
}

const LONGEST_MS = 60_000

export function choose(job: Job, deps: Pick<BackendDeps, 'config' | 'backends'>): Choice {
  const all = deps.backends()
  const usable = all.filter((backend) => backend[job] !== undefined && backend.missing() === undefined)
  const named = namedBackend(job, deps.config)
  const first = usable.find(({ name }) => name === named?.name)
  if (!named || first)
    return { backends: first ? [first, ...usable.filter((each) => each !== first)] : usable, notes: [] }
  const note = explainChoice(job, named, all)
  return { backends: usable, notes: note === undefined ? [] : [note] }
}

function namedBackend(job: Job, config: BackendDeps['config']): { name: string; key: string } | undefined {
  const own = job === 'search' ? config.search_backend : config.extract_backend
  if (own !== '') return { name: own, key: `web.${job}_backend` }
  return config.backend === '' ? undefined : { name: config.backend, key: 'web.backend' }
}

function explainChoice(
  job: Job,
  named: { name: string; key: string },
  all: readonly WebSearchProvider[],
): string | undefined {
  const backend = all.find(({ name }) => name === named.name)
  const known = all.map(({ name }) => name).sort()
  if (!backend) return `${named.key} is ${named.name}, which is not there (there are ${known.join(', ')}).`
  const missing = backend.missing()
  if (missing !== undefined) return `${named.key} is ${named.name}, which ${missing}.`
  // A backend for everything that only searches leaves reading to others, as it should.
  return named.key === 'web.backend' ? undefined : `${named.key} is ${named.name}, which cannot ${job}.`
}

/**
 * Asks one backend after the other until one answers. Rejects with the signal's reason, with `URL_FORBIDDEN` (no backend
 * may do what the guard refuses), or with `WEB_SEARCH_FAILED` or `WEB_EXTRACT_FAILED` and what each of them said.
 */
export async function askInTurn<T>(
  job: Job,
  deps: BackendDeps,
  signal: AbortSignal,
  ask: (backend: WebSearchProvider, signal: AbortSignal) => Promise<T>,
): Promise<Outcome<T>> {
  const { backends, notes: before } = choose(job, deps)
  const notes = [...before]
  for (const backend of backends) {
    try {
      const value = await withDeadline(deps.clock(), LONGEST_MS, (limited) => ask(backend, limited), createLateError, {
        signal,
      })
      return { value, backend: backend.name, notes }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (errorCode(error) === 'URL_FORBIDDEN') throw error
      deps.onFault(backend.name, error)
      notes.push(`${backend.name} failed: ${errorMessage(error)}`)
    }
  }
  const said = notes.length > 0 ? notes.join('\n') : 'No web backend is set up; see `svc plugins`.'
  if (job === 'search') throw new SvcError('WEB_SEARCH_FAILED', `The web could not be searched.\n${said}`)
  throw new SvcError('WEB_EXTRACT_FAILED', said)
}

/** Bytes that trickle never count as silence, so there is a limit to all of it. */
function createLateError(): SvcError {
  return new SvcError('WEB_TIMEOUT', `it took longer than ${LONGEST_MS / 1000} s.`)
}
