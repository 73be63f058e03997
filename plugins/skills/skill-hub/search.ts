/** `svc skills search` and `svc skills browse`. */
import { type CliArguments, type CliContext, errorMessage, SvcError } from 'svc/sdk'
import { formatColumns, hasFlag, printJson, printParts, safeLine } from 'svc/sdk/kit/terminal'
import type { SkillHub } from './hub.ts'
import type { Listing, SkillSource } from './sources/source.ts'

const SEARCH_MS = 30_000
const ORDER = ['builtin', 'trusted', 'user', 'community', 'model']

export async function searchSkills(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const limit = readCount(input.options['limit'], 25, '--limit')
  const wanted = input.options['source']
  const sources = hub.sources.filter(({ name, search }) => search && (wanted === undefined || name === wanted))
  if (sources.length === 0)
    throw new SvcError(
      'CLI_USAGE',
      `--source is one of ${hub.sources.flatMap(({ name, search }) => (search ? [name] : [])).join(', ')}.`,
    )
  const { skills, failed } = await searchSources(sources, { query: input.args.join(' '), limit, signal: io.signal })
  if (hasFlag(input, 'json')) printJson(io, { skills, failed })
  else await printListings(skills, io, 'Nothing was found.')
  for (const { source, reason } of failed) if (!hasFlag(input, 'json')) io.err(`${source}: ${safeLine(reason)}\n`)
  return skills.length === 0 && failed.length === sources.length ? 1 : 0
}

export interface SkillSearch {
  readonly query: string
  readonly limit: number
  readonly signal: AbortSignal
}

/** What the sources find, the most trusted first, and those that did not answer. */
export async function searchSources(sources: readonly SkillSource[], { query, limit, signal }: SkillSearch) {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS)])
  const answers = await Promise.allSettled(sources.map(async (source) => (await source.search?.(query, soon)) ?? []))
  signal.throwIfAborted()
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failed = answers.flatMap((answer, at) =>
    answer.status === 'rejected' ? [{ source: sources[at]?.name ?? '', reason: errorMessage(answer.reason) }] : [],
  )
  return { skills: distinct(found).slice(0, limit), failed }
}

export async function browseSkills(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const able = hub.sources.filter(({ browse }) => browse)
  const wanted = input.args[0] ?? 'github'
  const source = able.find(({ name }) => name === wanted)
  if (!source?.browse)
    throw new SvcError('CLI_USAGE', `The sources to browse are ${able.map(({ name }) => name).join(', ')}.`)
  const page = readCount(input.options['page'], 1, '--page')
  const skills = await source.browse(page, readCount(input.options['size'], 20, '--size'), io.signal)
  if (hasFlag(input, 'json')) printJson(io, { source: wanted, page, skills })
  else await printListings(skills, io, 'There is nothing on this page.')
  return 0
}

/** One of each identifier, the most trusted first. */
function distinct(found: readonly Listing[]): Listing[] {
  const kept = new Map<string, Listing>()
  for (const each of found.toSorted((one, two) => ORDER.indexOf(one.trust) - ORDER.indexOf(two.trust))) {
    const key = each.identifier.replace(/^(?:skills\.sh|github):/, '')
    if (!kept.has(key)) kept.set(key, each)
  }
  return [...kept.values()]
}

async function printListings(skills: readonly Listing[], io: CliContext, none: string): Promise<void> {
  if (skills.length === 0) {
    io.out(`${none}\n`)
    return
  }
  const rows = skills.map(({ identifier, trust, description }) => [
    safeLine(identifier),
    trust,
    safeLine(description).slice(0, 80),
  ])
  const lines = formatColumns([['SKILL', 'TRUST', 'DESCRIPTION'], ...rows])
  await printParts(io, [...lines.map((line) => `${line}\n`), 'Install one with `svc skills install SKILL`.\n'])
}

function readCount(value: unknown, standard: number, option: string): number {
  if (value === undefined) return standard
  const count = Number(value)
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    throw new SvcError('CLI_USAGE', `${option} is a number from 1 to 1000, not "${String(value)}".`)
  return count
}
