/** Which session is meant by an id, or by the beginning of one. */
import { errorCode, type PluginContext, type SessionSummary, Sessions, SvcError } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'
import { everySession } from './filter.ts'
import { sessionLine } from './text.ts'

const shown = 10

/** Throws `SESSIONS_UNKNOWN` with the nearest id, or `SESSIONS_AMBIGUOUS` with all that fit. */
export async function findSession(ctx: PluginContext<undefined>, typed: string): Promise<SessionSummary> {
  const [found] = await findSessions(ctx, [typed])
  return found as SessionSummary
}

/** Each of them once; as `findSession`. All sessions are listed once, and only for an id that was cut short. */
export async function findSessions(ctx: PluginContext<undefined>, typed: readonly string[]): Promise<SessionSummary[]> {
  const sessions = ctx.use(Sessions)
  const found = new Map<string, SessionSummary>()
  let all: readonly SessionSummary[] | undefined
  for (const one of typed) {
    let session = exactly(sessions, one)
    if (!session) {
      all ??= sessions.list({ limit: everySession })
      session = await beginningWith(one, all)
    }
    found.set(session.id, session)
  }
  return [...found.values()]
}

function exactly(sessions: Sessions, id: string): SessionSummary | undefined {
  try {
    return sessions.summary(id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}

async function beginningWith(typed: string, all: readonly SessionSummary[]): Promise<SessionSummary> {
  const fitting = typed ? all.filter(({ id }) => id.startsWith(typed)) : []
  if (fitting.length > 1) throw new SvcError('SESSIONS_AMBIGUOUS', ambiguous(typed, fitting), { status: 409 })
  return fitting[0] ?? (await unknown(typed, all))
}

function ambiguous(typed: string, fitting: readonly SessionSummary[]): string {
  const lines = fitting.slice(0, shown).map((session) => `\n  ${sessionLine(session)}`)
  const more = fitting.length > shown ? `\n  and ${fitting.length - shown} more` : ''
  return `${fitting.length} sessions begin with "${safeLine(typed)}"; type more of the id:${lines.join('')}${more}`
}

async function unknown(typed: string, all: readonly SessionSummary[]): Promise<never> {
  const { closest, distance } = await import('fastest-levenshtein')
  const nearest = all.length
    ? closest(
        typed,
        all.map(({ id }) => id),
      )
    : undefined
  const isNear = nearest !== undefined && distance(typed, nearest) <= 3
  const advice = isNear ? `Did you mean ${safeLine(nearest)}?` : 'To see the ids: svc sessions list'
  throw new SvcError('SESSIONS_UNKNOWN', `No session has the id "${safeLine(typed)}". ${advice}`, { status: 404 })
}
