/** What every source of skills offers. A source asks the net through the guard of addresses only. */
import type { NetRequest, NetResponse } from 'svc/sdk'
import { SvcError } from 'svc/sdk'
import type { SkillTrust } from 'svc/sdk/skills'

/** A skill as a source lists it; `identifier` can be installed. */
export interface Listing {
  readonly identifier: string
  readonly name: string
  readonly description: string
  readonly source: string
  readonly trust: SkillTrust
}

/** The files of a skill, with `SKILL.md` at the top. */
export interface FetchedSkill {
  readonly identifier: string
  readonly source: string
  readonly trust: SkillTrust
  readonly name: string
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Files of a fetch, before they are checked. */
export type Files = Map<string, Uint8Array>

export interface SkillSource {
  readonly name: string
  /** Forms of its identifiers, for people. */
  readonly forms: string
  /** Whether it is responsible for the identifier. */
  accepts(identifier: string): boolean
  fetch(identifier: string, signal: AbortSignal): Promise<FetchedSkill>
  search?(query: string, signal: AbortSignal): Promise<readonly Listing[]>
  /** Pages count from 1. */
  browse?(page: number, size: number, signal: AbortSignal): Promise<readonly Listing[]>
}

/** What sources are made of. */
export interface SourceDeps {
  request(request: NetRequest): Promise<NetResponse & { readonly url: string }>
  readonly timeoutMs: number
  /** Of a private repository. */
  token(): string | undefined
  /** `owner/repository`, as configured. */
  readonly trusted: readonly string[]
}

const MAX_BYTES = 12 * 2 ** 20

/** The body of a successful answer. Throws `SKILL_SOURCE_FAILED`, and `SKILL_SOURCE` for what is not there. */
export async function fetchBody(
  deps: SourceDeps,
  url: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Uint8Array> {
  let answer: NetResponse
  try {
    answer = await deps.request({ url, headers, signal, timeoutMs: deps.timeoutMs, idleMs: deps.timeoutMs })
  } catch (cause) {
    signal.throwIfAborted()
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new SvcError('SKILL_SOURCE_FAILED', `${new URL(url).host} cannot be asked: ${said}`, { cause, status: 502 })
  }
  if (answer.status === 404) {
    answer.close()
    throw new SvcError('SKILL_SOURCE', `There is nothing at ${url}.`, { status: 404 })
  }
  if (answer.status < 200 || answer.status > 299) {
    answer.close()
    throw new SvcError('SKILL_SOURCE_FAILED', `${new URL(url).host} answered with status ${answer.status}.`, {
      status: 502,
    })
  }
  return await readBody(answer, url)
}

async function readBody(answer: NetResponse, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body) {
    size += part.length
    if (size > MAX_BYTES) throw new SvcError('SKILL_PACKAGE', `${url} has more than ${MAX_BYTES / 2 ** 20} MiB.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export async function fetchData<T>(
  deps: SourceDeps,
  url: string,
  schema: { parse(value: unknown): T },
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<T> {
  const body = Buffer.from(await fetchBody(deps, url, signal, { accept: 'application/json', ...headers })).toString(
    'utf8',
  )
  try {
    return schema.parse(JSON.parse(body))
  } catch (cause) {
    throw new SvcError(
      'SKILL_SOURCE_FAILED',
      `${new URL(url).host} answered something else than its documentation says.`,
      { cause, status: 502 },
    )
  }
}
