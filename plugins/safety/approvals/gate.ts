/**
 * The gate before every tool call: decides what is forbidden and what a person must be asked. It does not ask itself.
 */
import { isAbsolute, resolve } from 'node:path'
import type { ToolCallEvent, ToolDecision, ToolResult } from 'svc/sdk'
import type { ShellCommandAnalysis, ShellCommandRisk } from 'svc/sdk/shell'
import { Written } from './changed-files.ts'
import type { Config } from './config.ts'
import type { ProposedAction } from './judge.ts'
import type { Questions } from './questions.ts'
import { STOP } from './questions.ts'
import { Shells } from './shells.ts'
import type { Knower } from './unconfined.ts'

export interface GateDeps {
  readonly config: Config
  readonly questions: () => Questions
  readonly risks: () => ShellCommandAnalysis
  readonly knowledge: () => Knower
}

const AGAIN = 'had begun when svc stopped, so it may have taken effect already; once more could do it twice'

/** Listens to `BeforeToolCall`, `AroundToolCall` and `AfterToolCall`. */
export class Gate {
  readonly #deps: GateDeps
  readonly #shells: Shells = new Shells()
  readonly #written: Written = new Written()
  /** Acts whose effects on files are known. */
  readonly #understood: WeakSet<object> = new WeakSet()
  /** What the commands that run now were judged to be, by the key of their call. */
  readonly #running: Map<string, ShellCommandRisk> = new Map()
  readonly #judged: WeakMap<object, ShellCommandRisk> = new WeakMap()

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** The verdict on a call; undefined if the gate does not apply. */
  async decide(request: ToolCallEvent): Promise<ToolDecision | undefined> {
    const { acts, tool, turn } = request
    this.#written.meet(turn.sessionId, turn.origins().length === 0)
    const isIdle = acts.command === undefined && !acts.writes?.length && acts.ask === undefined
    if (isIdle && tool.reach !== undefined) return turn.again ? this.#askAgain(request) : undefined
    const { judge } = await import('./judge.ts')
    const { deny, allow, unknown } = this.#deps.config
    const judges = { risks: this.#deps.risks(), knowledge: this.#deps.knowledge() }
    const judgement = await judge(this.#proposedAction(request), { deny, allow, unknown }, judges)
    if (judgement.verdict === 'blocked')
      return { decision: 'deny', code: 'forbidden', reason: judgement.reason, advice: STOP }
    const { risk } = judgement
    if (risk) this.#judged.set(acts, risk)
    if (judgement.isUnderstood) this.#understood.add(acts)
    if (turn.again) return this.#askAgain(request)
    if (judgement.verdict === 'allowed') return undefined
    const { question, patterns, review } = judgement
    const cwd = this.#proposedAction(request).acts.cwd
    this.#deps.questions().expect(question.hash, { patterns, cwd, ...(review && { review }) })
    return { decision: 'ask', reason: question.reason, question }
  }

  /** The call is allowed. */
  runs({ acts, tool, turn }: ToolCallEvent): void {
    if (this.#mayWriteAnything({ acts, tool })) this.#written.lose(turn.sessionId)
    const risk = this.#judged.get(acts)
    if (!risk) return
    // Not before all gates and people have allowed it: what a shell never ran set nothing in it.
    this.#shells.runs(turn.sessionId, risk)
    this.#running.set(turn.key, risk)
  }

  /** Remembers the folder of a shell and the written files: the next command starts there. */
  note(result: ToolResult, { acts, turn }: ToolCallEvent): void {
    const { sessionId, key } = turn
    const { cwd } = (result.data ?? {}) as { cwd?: unknown }
    const stands = acts.command !== undefined && typeof cwd === 'string' ? cwd : undefined
    if (stands !== undefined) this.#shells.stands(sessionId, stands)
    const risk = this.#running.get(key)
    this.#running.delete(key)
    if (risk) this.#deps.risks().remember(sessionId, risk, stands)
    for (const path of acts.writes ?? []) {
      const file = resolve(acts.cwd ?? turn.cwd, path)
      this.#written.add(sessionId, file)
      // Another machine's file of that name is not read to judge the commands of this one.
      if (!result.failed && acts.environment === undefined) this.#deps.risks().wrote(sessionId, file)
    }
  }

  #mayWriteAnything({ acts, tool }: Pick<ToolCallEvent, 'acts' | 'tool'>): boolean {
    if (acts.command !== undefined) return !this.#understood.has(acts)
    return tool.effect !== 'pure' && (tool.reach ?? 'machine') === 'machine' && !acts.writes?.length
  }

  #proposedAction({ name, input, acts, tool, turn }: ToolCallEvent): ProposedAction {
    const shell = this.#shells.get(turn.sessionId)
    const base = acts.command === undefined ? turn.cwd : (shell.cwd ?? turn.cwd)
    const cwd = acts.cwd === undefined ? base : within(acts.cwd, base)
    const wasWritten = this.#written.predicate(turn.sessionId)
    return {
      tool: { name, description: tool.description },
      acts: { ...acts, cwd },
      input,
      project: turn.cwd,
      sessionId: turn.sessionId,
      ...(shell.variables && { variables: shell.variables }),
      ...(wasWritten && { wasWritten }),
      isDeclared: tool.reach !== undefined,
      isIsolated: tool.isolated?.() === true,
    }
  }

  /** Neither a grant nor a mode knows whether a call that a crash cut off took effect: only a person can find out. */
  #askAgain({ name, input, acts, turn }: ToolCallEvent): ToolDecision {
    const action = acts.command ?? `${name} ${JSON.stringify(input)}`
    return {
      decision: 'ask',
      reason: AGAIN,
      question: { reason: AGAIN, action, choices: ['once', 'deny'], hash: turn.key },
    }
  }
}

function within(folder: string, base: string): string {
  return isAbsolute(folder) || folder.startsWith('~') ? folder : resolve(base, folder)
}
