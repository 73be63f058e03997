/** A goal: what is to be reached, what else counts, and how far it is. Pure. */

/** Facts of a goal besides its text. */
export interface Contract {
  readonly verification?: string
  readonly constraints?: string
  readonly boundaries?: string
  readonly stopWhen?: string
}

export interface Goal {
  readonly text: string
  readonly contract: Contract
  readonly subgoals: readonly string[]
  readonly status: 'active' | 'paused' | 'done'
  readonly turns: number
  readonly maxTurns: number
  /** US dollars that the conversation had spent before. */
  readonly spentBefore: number
  /** What the judge said last, or why it is paused. */
  readonly reason?: string
  /** Verdicts in a row that could not be read. */
  readonly unread: number
}

/** What the judge may say. */
export interface Verdict {
  readonly verdict: 'done' | 'continue' | 'wait'
  readonly reason: string
  readonly waitSeconds: number
  /** The process that it waits for: its id on this machine, or that of `BackgroundProcesses`. */
  readonly waitOn?: { readonly pid: number } | { readonly processId: string }
}

const CLAUSES: Readonly<Record<string, keyof Contract>> = {
  verify: 'verification',
  verification: 'verification',
  constraints: 'constraints',
  boundaries: 'boundaries',
  'stop when': 'stopWhen',
}
const STATUSES: readonly unknown[] = ['active', 'paused', 'done'] satisfies readonly Goal['status'][]
const MAX_UNREAD = 3
/** What a judge may have a goal wait for, in seconds: then it is asked again. */
export const MAX_JUDGE_WAIT_S = 3600

/** Lines such as `verify: the tests pass` become its contract. */
export function newGoal(text: string, limits: Pick<Goal, 'maxTurns' | 'spentBefore'>): Goal {
  const contract: { -readonly [Key in keyof Contract]: Contract[Key] } = {}
  const words = text.split('\n').filter((line) => {
    const [, name = '', value = ''] = /^\s*([a-z ]+?)\s*:\s*(.+)$/i.exec(line) ?? []
    const clause = CLAUSES[name.toLowerCase()]
    if (clause) contract[clause] = [contract[clause], value.trim()].filter(Boolean).join('; ')
    return clause === undefined
  })
  const rest = words.join('\n').trim()
  return { text: rest || text.trim(), contract, subgoals: [], status: 'active', turns: 0, unread: 0, ...limits }
}

/** A stored goal; undefined if the value is invalid. */
export function parseGoal(value: unknown): Goal | undefined {
  const { text, contract, subgoals, status, turns, maxTurns, spentBefore, unread } = (value ?? {}) as Partial<
    Record<keyof Goal, unknown>
  >
  const areCounts = [turns, maxTurns, spentBefore, unread].every((each) => typeof each === 'number')
  const isSound = typeof text === 'string' && typeof contract === 'object' && contract !== null && areCounts
  const areTexts = Array.isArray(subgoals) && subgoals.every((each) => typeof each === 'string')
  if (!isSound || !areTexts || !STATUSES.includes(status)) return undefined
  return value as Goal
}

/** The goal in words, for the model and the judge. */
export function goalText({ text, contract, subgoals }: Goal): string {
  return [
    text,
    ...(contract.verification ? [`It is verified by: ${contract.verification}`] : []),
    ...(contract.constraints ? [`Constraints: ${contract.constraints}`] : []),
    ...(contract.boundaries ? [`Boundaries: ${contract.boundaries}`] : []),
    ...(contract.stopWhen ? [`Stop when: ${contract.stopWhen}`] : []),
    ...subgoals.map((subgoal, at) => `Also ${at + 1}: ${subgoal}`),
  ].join('\n')
}

/** The state after a judged turn; without a readable verdict it continues, but not for ever. */
export function applyVerdict(goal: Goal, verdict: Verdict | undefined): Goal {
  const turns = goal.turns + (verdict?.verdict === 'wait' ? 0 : 1)
  if (!verdict) {
    const unread = goal.unread + 1
    if (unread < MAX_UNREAD) return spent({ ...goal, turns, unread })
    return { ...goal, turns, unread: 0, status: 'paused', reason: 'progress could not be checked (3 failed attempts)' }
  }
  const next: Goal = { ...goal, turns, unread: 0, reason: verdict.reason }
  return verdict.verdict === 'done' ? { ...next, status: 'done' } : spent(next)
}

function spent(goal: Goal): Goal {
  if (goal.turns < goal.maxTurns) return goal
  return { ...goal, status: 'paused', reason: `its ${goal.maxTurns} turns are used up` }
}

/** Parses the text of the judge; undefined if it is not a verdict. */
export function readVerdict(text: string): Verdict | undefined {
  const [json] = /\{[\s\S]*\}/.exec(text) ?? []
  try {
    const value = JSON.parse(json ?? '') as Record<string, unknown>
    const verdict = value['done'] === true ? 'done' : value['done'] === false ? 'continue' : value['verdict']
    if (verdict !== 'done' && verdict !== 'continue' && verdict !== 'wait') return undefined
    const seconds = Number(value['wait_for_seconds'])
    const waitSeconds = Number.isFinite(seconds) ? Math.min(MAX_JUDGE_WAIT_S, Math.max(1, seconds)) : 60
    const waitOn = readProcess(value)
    return { verdict, reason: String(value['reason'] ?? '').slice(0, 500), waitSeconds, ...(waitOn && { waitOn }) }
  } catch {
    return undefined
  }
}

function readProcess({ wait_on_pid: pid, wait_on_session: id }: Record<string, unknown>): Verdict['waitOn'] {
  const number = typeof pid === 'string' ? Number(pid) : pid
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return { pid: number }
  return typeof id === 'string' && id !== '' ? { processId: id.slice(0, 100) } : undefined
}
