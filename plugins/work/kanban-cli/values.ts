/** Values of the command line: who, when, how long, how much. */
import { userInfo } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { type CliArguments, type CliContext, SvcError } from 'svc/sdk'
import type { TaskChange, TaskCheck, TaskWorkspace } from 'svc/sdk/kanban'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The text of an option, if it was given. */
export function getText({ options }: CliArguments, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function getList({ options }: CliArguments, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
}

/** Throws `CLI_USAGE`. */
export function getNumber(input: CliArguments, name: string, flag: string): number | undefined {
  const text = getText(input, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new SvcError('CLI_USAGE', `${flag} takes a number, not ${JSON.stringify(text)}.`)
}

/** Milliseconds of `90s`, `30m`, `2h`, `1d`. Throws `CLI_USAGE`. */
export function readSpan(text: string, flag: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? []
  const ms = Math.round(Number(number) * (UNITS_MS[unit] ?? Number.NaN))
  if (ms > 0) return ms
  throw new SvcError('CLI_USAGE', `${flag} takes a span such as 90s, 30m, 2h or 1d, not ${JSON.stringify(text)}.`)
}

/** A moment: an ISO time, or a span from `now` on. Throws `CLI_USAGE`. */
export function readMoment(text: string, flag: string, now: number): number {
  if (/^[\d.]+[smhd]$/.test(text.trim())) return now + readSpan(text, flag)
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(at)) return at
  throw new SvcError('CLI_USAGE', `${flag} takes an ISO time or a span such as 2h, not ${JSON.stringify(text)}.`)
}

/** Who does it, and why. */
export function getChange(input: CliArguments, reason = getText(input, 'reason')): TaskChange {
  return { by: getText(input, 'by') ?? getUser(), ...(reason !== undefined && reason !== '' && { reason }) }
}

function getUser(): string {
  try {
    return userInfo().username
  } catch {
    // A user id without a name, as in containers.
    return 'user'
  }
}

/** What create and edit share. Throws `CLI_USAGE` and the errors of standard input. */
export async function readTaskOptions(input: CliArguments, io: CliContext) {
  const body = getText(input, 'body')
  const skills = getList(input, 'skill')
  const checks = readChecks(input)
  const maxRuntime = getText(input, 'maxRuntime')
  const workspace = readWorkspace(input, io.cwd)
  const given = {
    body: body === '-' ? await readInput(io) : body,
    tenant: getText(input, 'tenant'),
    priority: getNumber(input, 'priority', '--priority'),
    workspace,
    skills: skills.length > 0 ? skills : undefined,
    model: getText(input, 'model'),
    maxRuntimeMs: maxRuntime === undefined ? undefined : readSpan(maxRuntime, '--max-runtime'),
    maxRetries: getNumber(input, 'maxRetries', '--max-retries'),
    budgetUsd: getNumber(input, 'budgetUsd', '--budget-usd'),
    checks: checks.length > 0 ? checks : undefined,
  }
  return withoutUndefined(given)
}

/** The same without what was not given. */
export function withoutUndefined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}

async function readInput(io: CliContext): Promise<string> {
  const bytes = await io.stdin(1_000_000)
  if (bytes === undefined)
    throw new SvcError('CLI_USAGE', '--body - reads standard input, which is a terminal: pipe a text into it.')
  return new TextDecoder().decode(bytes)
}

function readWorkspace(input: CliArguments, cwd: string): TaskWorkspace | undefined {
  const text = getText(input, 'workspace')
  const branch = getText(input, 'branch')
  if (text === undefined) {
    if (branch === undefined) return undefined
    throw new SvcError('CLI_USAGE', '--branch goes with --workspace worktree.')
  }
  const [kind = '', ...rest] = text.split(':')
  const path = rest.join(':')
  if (kind !== 'scratch' && kind !== 'dir' && kind !== 'worktree')
    throw new SvcError(
      'CLI_USAGE',
      `--workspace takes scratch, dir:PATH, worktree or worktree:PATH, not ${JSON.stringify(text)}.`,
    )
  return {
    kind,
    ...(path !== '' && { path: isAbsolute(path) ? path : resolve(cwd, path) }),
    ...(branch !== undefined && { branch }),
  }
}

function readChecks(input: CliArguments): TaskCheck[] {
  return [
    ...getList(input, 'checkCommand').map((command): TaskCheck => ({ type: 'command', command })),
    ...getList(input, 'checkFile').map((path): TaskCheck => ({ type: 'file', path })),
    ...getList(input, 'checkUrl').map((url): TaskCheck => ({ type: 'http', url })),
  ]
}
