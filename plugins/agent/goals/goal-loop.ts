/** After each turn of a session with a goal: judge, then continue, wait, pause or finish. */
import {
  AuxiliaryModels,
  type Conversation,
  Conversations,
  errorMessage,
  type PluginContext,
  Sessions,
  type Translate,
  type TurnEndReason,
} from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { BackgroundProcesses } from 'svc/sdk/shell'
import type { Config } from './config.ts'
import { draftGoal } from './draft-goal.ts'
import { applyVerdict, type Goal, goalText, MAX_JUDGE_WAIT_S, newGoal, type Verdict } from './goal.ts'
import { type WaitState, Waits } from './goal-waits.ts'
import { judge } from './judge.ts'
import type { GoalStore } from './store.ts'

export class GoalLoop {
  readonly #ctx: PluginContext<Config>
  readonly #store: GoalStore
  readonly #t: Translate
  readonly #waits: Waits

  constructor(ctx: PluginContext<Config>, store: GoalStore, t: Translate) {
    this.#ctx = ctx
    this.#store = store
    this.#t = t
    this.#waits = new Waits(ctx)
  }

  /** Sets a goal; its first turn begins at once. */
  begin(sessionId: string, text: string): Goal {
    const spentBefore = this.#spent(sessionId)
    const goal = newGoal(text, { maxTurns: this.#ctx.config.max_turns, spentBefore })
    this.#store.set(sessionId, goal, { with: 'next-message' })
    this.#send(sessionId, `Work towards this goal until it is reached:\n\n${goalText(goal)}`)
    return goal
  }

  /** What a model writes down of a wish; undefined when none can, and the log says why. */
  async draft(sessionId: string, wish: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      return await draftGoal(this.#ctx.use(AuxiliaryModels), wish, { sessionId, signal })
    } catch (error) {
      this.#ctx.log.warn(`no model wrote the conditions of a goal down: ${errorMessage(error)}`, { error })
      return undefined
    }
  }

  /** Another round of turns for a goal that paused. */
  resume(sessionId: string, goal: Goal): void {
    this.stopWaiting(sessionId)
    this.#store.set(sessionId, { ...goal, status: 'active', turns: 0, spentBefore: this.#spent(sessionId) })
    this.goOn(sessionId)
  }

  pause(sessionId: string, goal: Goal, reason: string): void {
    this.stopWaiting(sessionId)
    this.#store.set(sessionId, { ...goal, status: 'paused', reason })
  }

  /**
   * Begins the next turn when the wait is over, at the latest after `maxSeconds`. Returns false, and changes nothing, if the
   * process does not run.
   */
  wait(sessionId: string, state: WaitState, maxSeconds?: number): Promise<boolean> {
    return this.#waits.begin(sessionId, state, () => this.goOn(sessionId), maxSeconds)
  }

  /** What the goal of a session waits for. */
  waiting(sessionId: string): WaitState | undefined {
    return this.#waits.get(sessionId)
  }

  /** Returns whether something was waited for. */
  stopWaiting(sessionId: string): boolean {
    return this.#waits.stop(sessionId)
  }

  goOn(sessionId: string): void {
    const goal = this.#store.get(sessionId)
    if (goal?.status !== 'active') return
    const why = goal.reason ? `The judge says: ${goal.reason}\n\n` : ''
    this.#send(sessionId, `Go on towards the goal; do what is left, and show that it works.\n\n${why}${goalText(goal)}`)
  }

  /** A turn has ended. Never rejects. */
  async turnEnded(sessionId: string, reason: TurnEndReason): Promise<void> {
    const goal = this.#store.get(sessionId)
    const conversation = this.#ctx.find(Conversations)?.of(sessionId)
    if (goal?.status !== 'active' || !conversation) return
    if (reason !== 'completed' && reason !== 'max-iterations') {
      this.pause(sessionId, goal, reason === 'interrupted' ? 'you stopped it' : 'a turn failed')
      conversation.say(this.#t('The goal is paused. /goal resume continues, /goal clear removes it.'), 'warning')
      return
    }
    // The loop continues when the work that it waits for has ended; user messages in between are not turns of the goal.
    if (this.#waits.get(sessionId)) return
    const verdict = await this.#verdict(goal, sessionId)
    // It may have been cleared or changed meanwhile.
    const now = this.#store.get(sessionId)
    if (now?.text !== goal.text || now.status !== 'active' || this.#ctx.signal.aborted) return
    await this.#settle(sessionId, this.#capped(sessionId, applyVerdict(now, verdict)), verdict)
  }

  /** A conversation shows a session whose goal may have been at work in a process that has ended, or in another conversation. */
  opened(conversation: Conversation): void {
    const { sessionId } = conversation
    const goal = this.#store.get(sessionId)
    if (goal?.status !== 'active' || conversation.busy || this.#waits.get(sessionId)) return
    // Its turn continues and is judged afterwards.
    if (
      this.#ctx
        .use(Sessions)
        .unfinished()
        .some(({ id }) => id === sessionId)
    )
      return
    this.pause(sessionId, goal, 'svc was not running, or the conversation was left')
    conversation.say(this.#t('The goal is paused. /goal resume continues, /goal clear removes it.'), 'warning')
  }

  close(): void {
    this.#waits.stopAll()
  }

  async #settle(sessionId: string, goal: Goal, verdict: Verdict | undefined): Promise<void> {
    this.#store.set(sessionId, goal)
    const conversation = this.#ctx.find(Conversations)?.of(sessionId)
    const values = { turns: goal.turns, most: goal.maxTurns, reason: goal.reason ?? '' }
    if (goal.status === 'done')
      conversation?.say(this.#t('The goal is reached after {turns} of {most} turns. {reason}', values))
    else if (goal.status === 'paused')
      conversation?.say(this.#t('The goal is paused: {reason}. /goal resume continues.', values), 'warning')
    else if (verdict?.verdict === 'wait') await this.#park(sessionId, verdict, conversation)
    else {
      conversation?.say(this.#t('Goal, turn {turns} of {most}: {reason}', values))
      this.goOn(sessionId)
    }
  }

  /** A process that has ended does not cause another verdict, even if the judge names it again. */
  async #park(sessionId: string, verdict: Verdict, conversation: Conversation | undefined): Promise<void> {
    const { waitOn, waitSeconds: seconds, reason } = verdict
    if (waitOn && (await this.wait(sessionId, { target: waitOn, reason }, MAX_JUDGE_WAIT_S))) {
      const pid = 'pid' in waitOn ? waitOn.pid : waitOn.processId
      conversation?.say(this.#t('The goal waits for process {pid}: {reason}', { pid, reason }))
      return
    }
    conversation?.say(this.#t('The goal waits {seconds} s: {reason}', { seconds, reason }))
    await this.wait(sessionId, { target: { seconds }, reason })
  }

  async #verdict(goal: Goal, sessionId: string): Promise<Verdict | undefined> {
    try {
      const session = this.#ctx.use(Sessions).open(sessionId)
      const processes = (await this.#ctx.find(BackgroundProcesses)?.list(sessionId)) ?? []
      const running = processes.filter(({ status }) => status === 'running')
      const { signal } = this.#ctx
      return await judge(this.#ctx.use(AuxiliaryModels), goal, session, { signal, running })
    } catch (error) {
      this.#ctx.log.warn('the judge of a goal gave no verdict', { error })
      return undefined
    }
  }

  #capped(sessionId: string, goal: Goal): Goal {
    const { max_usd: most } = this.#ctx.config
    if (goal.status !== 'active' || most === undefined || this.#spent(sessionId) - goal.spentBefore < most) return goal
    return { ...goal, status: 'paused', reason: `$${most} are spent on it` }
  }

  #spent(sessionId: string): number {
    return this.#ctx.find(Budgets)?.spent({ sessionId }).costUsd ?? 0
  }

  #send(sessionId: string, text: string): void {
    this.#ctx.find(Conversations)?.of(sessionId)?.send(text, { whenBusy: 'queue' })
  }
}
