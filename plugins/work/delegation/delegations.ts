/** All delegations of this process: begins them, runs their subagents, and resumes what an earlier process left. */
import {
  Clock,
  type Conversation,
  Conversations,
  logFault,
  Models,
  type PluginContext,
  Random,
  Secrets,
  type Session,
  Sessions,
  SvcError,
  type ToolContext,
  type TurnContext,
  type TurnEventData,
} from 'svc/sdk'
import { unreachablePerson } from 'svc/sdk/host'
import { SubagentNotes } from './child-notes.ts'
import { ChildRecord } from './child-record.ts'
import { type ChildRunDeps, isStop, type LiveChild, runChild, Stop } from './child-run.ts'
import type { Config } from './config.ts'
import type { Child, ChildResult, Unit } from './delegation.ts'
import { Deliveries } from './deliveries.ts'
import type { ReadFiles } from './read-files.ts'
import { type Input, readRequest } from './request.ts'
import { Slots } from './slots.ts'
import { readTrees, type SpawnTree } from './spawn-tree.ts'
import { summaryBudget } from './summary.ts'
import { RENEW_MS, type StoredUnit, Units } from './units.ts'

const DEFAULT_CHILDREN = 3
/** A unit that ended so many processes is not begun once more. */
const MAX_EPOCHS = 5
const ENV = 'DELEGATION_MAX_CONCURRENT_CHILDREN'

/** What a call came to. */
export type Delegated =
  | { readonly kind: 'dispatched'; readonly unit: Unit; readonly notes: readonly string[] }
  | {
      readonly kind: 'ended'
      readonly unit: Unit
      readonly results: readonly ChildResult[]
      readonly notes: readonly string[]
    }

/** A unit that this process works on. */
interface Running {
  readonly unit: Unit
  readonly control: AbortController
  readonly work: Promise<unknown>
}

export class Delegations {
  /** Model calls begin no subagents while it is set. */
  isPaused = false
  readonly #ctx: PluginContext<Config>
  readonly #units: Units
  readonly #reads: ReadFiles
  readonly #deliveries: Deliveries
  readonly #slots = new Slots()
  readonly #live: Map<string, LiveChild> = new Map()
  readonly #background: Map<string, Running> = new Map()
  /** Epochs of the units that are this process's now. */
  readonly #held: Map<string, number> = new Map()
  #isClosed = false

  constructor(ctx: PluginContext<Config>, reads: ReadFiles) {
    this.#ctx = ctx
    this.#reads = reads
    this.#units = new Units(ctx)
    this.#deliveries = new Deliveries(ctx, this.#units)
    ctx.every(RENEW_MS, () => this.#renew())
  }

  get maxChildren(): number {
    const given = Number(this.#ctx.use(Secrets).get(ENV))
    return this.#ctx.config.max_concurrent_children ?? (given >= 1 ? Math.floor(given) : DEFAULT_CHILDREN)
  }

  /** Subagents at work: all, or those below one session. */
  live(sessionId?: string): readonly LiveChild[] {
    const all = [...this.#live.values()]
    if (sessionId === undefined) return all
    const isBelow = (child: LiveChild): boolean => {
      const { sessionId: parent } = child.unit.parent
      const above = this.#live.get(parent)
      return parent === sessionId || (above !== undefined && isBelow(above))
    }
    return all.filter(isBelow)
  }

  /** The session of a live subagent, for what is noted there. */
  isLive(sessionId: string): boolean {
    return this.#live.has(sessionId)
  }

  /** False when no subagent of this process has this id or this session. */
  interrupt(id: string): boolean {
    const found = this.live().find((child) => child.id === id || child.sessionId === id)
    found?.stop(new Stop('user', 'It was interrupted.'))
    return found !== undefined
  }

  /** Stops what works in the background for a session; returns how many subagents that were. */
  async stopSession(sessionId: string): Promise<number> {
    const units = [...this.#background.values()].filter(({ unit }) => unit.parent.sessionId === sessionId)
    const count = this.live(sessionId).filter(({ unit }) => units.some((each) => each.unit.id === unit.id)).length
    for (const { unit, control } of units) {
      await this.#units.stop(unit.id)
      control.abort(new Stop('user', 'It was interrupted.'))
    }
    return Math.max(count, units.length)
  }

  /** Throws `DELEGATION_PAUSED`, `DELEGATION_DEPTH`, `DELEGATION_INPUT` and `DELEGATION_TOO_MANY`. */
  async delegate(input: Input, turn: ToolContext): Promise<Delegated> {
    const { config } = this.#ctx
    const session = this.#ctx.use(Sessions).open(turn.sessionId)
    const own = session.state(SubagentNotes)
    const depth = own ? own.depth + 1 : 0
    this.#throwIfRefused(depth)
    const maxTasks = this.maxChildren
    const mayOrchestrate = config.orchestrator_enabled && depth + 1 < config.max_spawn_depth
    const { tasks, notes } = readRequest(input, { maxTasks, mayOrchestrate })
    const conversation = depth === 0 && turn.purpose === 'user' ? this.#stayingConversation(turn.sessionId) : undefined
    const isFull = this.#backgroundOf(turn.sessionId) >= maxTasks
    const isBackground = conversation !== undefined && !isFull
    const unit: Unit = {
      id: `deleg_${this.#ctx.use(Random).hex(4)}`,
      key: turn.key,
      mode: isBackground ? 'background' : 'inline',
      parent: this.#parent(turn, conversation, own?.id),
      depth,
      tasks,
      createdAt: this.#ctx.use(Clock).now(),
      summaryChars: this.#summaryChars(session, turn, tasks.length),
      parentRead: this.#reads.of(turn.sessionId),
      ...((config.budget.usd ?? config.budget.tokens) !== undefined && { budget: config.budget }),
    }
    const children = tasks.map((_, index) => ({ id: `sa-${index}-${this.#ctx.use(Random).hex(4)}`, index }))
    const stored = await this.#units.create(unit, children)
    const all = conversation !== undefined && isFull ? [...notes, FULL] : notes
    if (stored.isNew)
      for (const child of stored.children)
        turn.emit({ type: 'subagent.spawn_requested', id: child.id, goal: tasks[child.index]?.goal ?? '' })
    return stored.unit.mode === 'background' ? this.#dispatch(stored, turn, all) : this.#wait(stored, turn, all)
  }

  /** Resumes what is not told yet in a conversation that is open now. */
  async recover(conversation: Conversation): Promise<void> {
    const { sessionId } = conversation
    if (!this.#deliveries.hasPending(sessionId)) return
    this.#deliveries.reopened(sessionId)
    for (const stored of await this.#units.pending(sessionId)) await this.#takeOver(stored)
  }

  /** Looks for units of chats that no process works on, and opens those chats. */
  async recoverChats(): Promise<void> {
    for (const { unit } of await this.#units.pending())
      if (!this.#background.has(unit.id)) this.#deliveries.openChat(unit.parent.sessionId)
  }

  /**
   * A turn of a session has ended: it may have been the one that tells a result. That is marked when the front end has its answer, and
   * so after this call: until then a restart opens the conversation again.
   */
  turnEnded(sessionId: string): void {
    const conversation = this.#ctx.find(Conversations)?.of(sessionId)
    if (!conversation || !this.#deliveries.hasPending(sessionId)) return
    conversation
      .idle()
      .then(async () => {
        if (this.#isClosed) return
        for (const id of await this.#deliveries.confirm(sessionId)) this.#held.delete(id)
      })
      .catch((error: unknown) => logFault(this.#ctx.log, 'a result could not be marked as told', error))
  }

  /** Delegations of a session with what they came to, the newest first; those of its subagents below them. */
  async trees(session: string): Promise<readonly SpawnTree[]> {
    return readTrees((of) => this.#units.recent(of), session)
  }

  async forget(sessions: readonly string[]): Promise<void> {
    await this.#units.forget(sessions)
  }

  /** Stops what is at work; it goes on when its conversation is opened again. */
  async close(): Promise<void> {
    this.#isClosed = true
    const running = [...this.#background.values()]
    for (const { control } of running) control.abort(new Stop('shutdown', 'svc stops.'))
    await Promise.allSettled(running.map(({ work }) => work))
    for (const [id, epoch] of this.#held) await this.#units.release(id, epoch).catch(() => undefined)
    await this.#units.close()
  }

  #throwIfRefused(depth: number): void {
    const { max_spawn_depth } = this.#ctx.config
    if (this.isPaused)
      throw new SvcError('DELEGATION_PAUSED', 'A person has paused subagents. Do the work yourself, or ask for them.')
    if (depth >= max_spawn_depth)
      throw new SvcError(
        'DELEGATION_DEPTH',
        `You are a subagent of level ${depth}, and delegation.max_spawn_depth is ${max_spawn_depth}. Do the work yourself.`,
      )
  }

  #stayingConversation(sessionId: string): Conversation | undefined {
    const conversation = this.#ctx.find(Conversations)?.of(sessionId)
    return conversation?.front.stays ? conversation : undefined
  }

  #backgroundOf(sessionId: string): number {
    return [...this.#background.values()].filter(({ unit }) => unit.parent.sessionId === sessionId).length
  }

  #parent(turn: ToolContext, conversation: Conversation | undefined, subagentId: string | undefined): Unit['parent'] {
    const settings = conversation ?? this.#ctx.find(Conversations)?.of(turn.sessionId)
    const { reasoning } = settings?.settings ?? {}
    return {
      sessionId: turn.sessionId,
      turnId: turn.turnId,
      callId: turn.callId,
      surface: turn.surface,
      cwd: turn.cwd,
      provider: turn.model.provider,
      model: turn.model.model,
      ...(reasoning !== undefined && { reasoning }),
      tools: turn.tools(),
      groups: turn.groups,
      ...(subagentId !== undefined && { subagentId }),
    }
  }

  #summaryChars(session: Session, { model }: TurnContext, children: number): number {
    const last = session.events().findLast((event) => event.type === 'usage')
    const usage = last?.type === 'usage' ? last.usage : {}
    return summaryBudget({
      maxChars: this.#ctx.config.max_summary_chars,
      contextWindow: this.#ctx.find(Models)?.describe(model).contextWindow,
      usedTokens: (usage.input ?? 0) + (usage.output ?? 0),
      children,
    })
  }

  #dispatch(stored: StoredUnit & { readonly isNew: boolean }, turn: ToolContext, notes: readonly string[]): Delegated {
    const { unit } = stored
    this.#deliveries.expect(unit)
    if (stored.isNew) this.#begin(stored, 1, turn)
    else void this.#takeOver(stored)
    return { kind: 'dispatched', unit, notes }
  }

  async #wait(stored: StoredUnit & { readonly isNew: boolean }, turn: ToolContext, notes: readonly string[]) {
    const { unit } = stored
    const known = allResults(stored)
    if (known) return { kind: 'ended', unit, results: known, notes } as const
    const epoch = stored.isNew ? 1 : await this.#units.claim(unit.id)
    if (epoch === undefined) throw new SvcError('DELEGATION_ELSEWHERE', 'Another process of svc works on this call.')
    const results = await this.#run(stored, epoch, turn.signal, { tell: (event) => turn.emit(event), parent: turn })
    this.#held.delete(unit.id)
    return { kind: 'ended', unit, results: results ?? [], notes } as const
  }

  /** Works on a unit in the background, and tells its result. */
  #begin(stored: StoredUnit, epoch: number, turn?: TurnContext): void {
    const { unit } = stored
    const control = new AbortController()
    const deps = {
      tell: (event: TurnEventData) => this.#deliveries.note(unit, event),
      parent: turn ?? storedTurn(unit),
    }
    const work = this.#run(stored, epoch, control.signal, deps)
      .then(async (results) => {
        this.#background.delete(unit.id)
        if (results) await this.#deliver(unit.id)
      })
      .catch((error: unknown) => logFault(this.#ctx.log, `the delegation ${unit.id} failed`, error))
      .finally(() => {
        this.#background.delete(unit.id)
        this.#deliveries.changed(unit.parent.sessionId)
      })
    this.#background.set(unit.id, { unit, control, work })
    this.#deliveries.changed(unit.parent.sessionId)
  }

  async #deliver(id: string): Promise<void> {
    const stored = await this.#units.get(id)
    if (stored?.state !== 'finished') return
    const epoch = this.#held.get(id)
    if (await this.#deliveries.deliver(stored)) return
    // The conversation is not open here; the process in which it is opened next has it then.
    this.#held.delete(id)
    if (epoch !== undefined) await this.#units.release(id, epoch)
  }

  async #takeOver(stored: StoredUnit): Promise<void> {
    const { unit, state } = stored
    if (this.#background.has(unit.id) || state === 'told') return
    const epoch = await this.#units.claim(unit.id)
    if (epoch === undefined) return
    this.#held.set(unit.id, epoch)
    if (state === 'finished') return this.#deliver(unit.id)
    if (!stored.isStopped && epoch <= MAX_EPOCHS) return this.#begin(stored, epoch)
    const why = stored.isStopped ? 'It was interrupted.' : `svc stopped ${MAX_EPOCHS} times while it worked.`
    for (const child of stored.children)
      if (!child.result) await this.#units.end(unit.id, epoch, leftResult(this.#ctx, child, why))
    await this.#units.finish(unit.id, epoch)
    await this.#deliver(unit.id)
  }

  /** The results in the order of the tasks; undefined when svc stops before, or another process has the unit now. */
  async #run(
    { unit, children }: StoredUnit,
    epoch: number,
    signal: AbortSignal,
    more: Pick<ChildRunDeps, 'tell' | 'parent'>,
  ): Promise<readonly ChildResult[] | undefined> {
    this.#held.set(unit.id, epoch)
    const deps: ChildRunDeps = {
      ...more,
      ctx: this.#ctx,
      live: this.#live,
      readBy: (sessionId) => this.#reads.of(sessionId),
      begun: (child, sessionId) => this.#units.begin(unit.id, child.index, sessionId),
    }
    const results = await Promise.all(
      children.map((child) => child.result ?? this.#runOne(deps, unit, child, epoch, signal)),
    )
    const done = results.filter((result) => result !== undefined)
    if (done.length < results.length || !(await this.#units.finish(unit.id, epoch))) return undefined
    return done
  }

  async #runOne(
    deps: ChildRunDeps,
    unit: Unit,
    child: Child,
    epoch: number,
    signal: AbortSignal,
  ): Promise<ChildResult | undefined> {
    let giveBack = () => {}
    let result: ChildResult | undefined
    try {
      giveBack = await this.#slots.take(unit.parent.sessionId, this.maxChildren, signal)
      result = await runChild(deps, unit, child, signal)
    } catch (error) {
      if (isStop(signal.reason, 'shutdown')) return undefined
      if (!signal.aborted) logFault(this.#ctx.log, 'a subagent could not begin', error)
      const why = signal.aborted ? 'It was interrupted.' : `It could not begin: ${(error as Error).message}`
      result = leftResult(this.#ctx, child, why, signal.aborted ? 'interrupted' : 'failed')
    } finally {
      giveBack()
    }
    return result && (await this.#units.end(unit.id, epoch, result)) ? result : undefined
  }

  /** A unit that another process has now is given up here. */
  async #renew(): Promise<void> {
    if (this.#held.size === 0) return
    for (const id of await this.#units.renew(this.#held)) {
      this.#held.delete(id)
      this.#background.get(id)?.control.abort(new Stop('shutdown', 'Another process has taken it over.'))
    }
  }
}

const FULL = 'Too many delegations work in the background already, so this one was waited for.'

function allResults({ state, children }: StoredUnit): readonly ChildResult[] | undefined {
  const results = children.flatMap(({ result }) => result ?? [])
  return state !== 'running' && results.length === children.length ? results : undefined
}

/** What a subagent came to that does not go on. */
function leftResult(
  ctx: PluginContext<Config>,
  child: Child,
  message: string,
  status: 'interrupted' | 'failed' = 'interrupted',
): ChildResult {
  const record = new ChildRecord()
  const { sessionId = '' } = child
  if (sessionId !== '') for (const event of ctx.use(Sessions).open(sessionId).events()) record.take(event)
  return record.result({ index: child.index, sessionId, ms: 0, cut: { status, message } })
}

/** The turn that delegated, in a process that did not run it. */
function storedTurn({ parent }: Unit): TurnContext {
  const { sessionId, turnId, surface, cwd, provider, model } = parent
  return { sessionId, turnId, surface, cwd, model: { provider, model }, purpose: 'user', person: unreachablePerson }
}
