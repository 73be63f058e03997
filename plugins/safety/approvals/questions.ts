/** Questions of all gates: answered by a standing grant, by a mode, by a model, or by a person. */
import { createHash } from 'node:crypto'
import {
  type Clock,
  type DecisionQuestion,
  type Denial,
  errorMessage,
  type Logger,
  type Random,
  type ToolContext,
} from 'svc/sdk'
import type { Config } from './config.ts'
import type { PendingQuestion } from './judge.ts'
import type { PendingApprovals, Unanswered } from './pending-approvals.ts'
import type { Adviser, Opinion } from './smart.ts'
import type { ApprovalStore, Grant } from './store.ts'
import { covers, createOffer, type Offer } from './subjects.ts'

export interface QuestionDeps {
  readonly config: Config
  readonly pending: PendingApprovals
  readonly store: ApprovalStore
  readonly clock: () => Clock
  readonly random: () => Random
  readonly log: Logger
  readonly adviser: () => Promise<Adviser>
}

/** What the gate of this plugin knows of its questions. */
export interface Expected extends Pick<PendingQuestion, 'patterns' | 'review'> {
  readonly cwd: string
}

type About = { readonly tool: string; readonly action: string }
type Outcome = { readonly allow: boolean } & Denial

const MAX_EXPECTED = 500
const ALLOWED: Outcome = { allow: true }
const INTERRUPTED: Outcome = {
  allow: false,
  code: 'interrupted',
  reason: 'the turn was interrupted before the question was answered',
}
/** The text for the model after a refusal. */
export const STOP =
  'Do not try it again and do not look for another way to the same end; continue without it or tell the user what is needed'

/** Contract of `request`: `Approvals.request` of the SDK. */
export class Questions {
  readonly #deps: QuestionDeps
  readonly #expected: Map<string, Expected> = new Map()

  constructor(deps: QuestionDeps) {
    this.#deps = deps
  }

  /** A question with this hash is about to be asked. */
  expect(hash: string, expected: Expected): void {
    this.#expected.delete(hash)
    this.#expected.set(hash, expected)
    for (const oldest of this.#expected.keys()) {
      if (this.#expected.size <= MAX_EXPECTED) break
      this.#expected.delete(oldest)
    }
  }

  async request(questions: readonly DecisionQuestion[], about: About, turn: ToolContext): Promise<Outcome> {
    try {
      if (questions.length === 0) return { allow: false, reason: 'there was no question to be answered' }
      for (const question of questions) {
        const outcome = await this.#one(question, about, turn)
        if (!outcome.allow) return outcome
      }
      return ALLOWED
    } catch (error) {
      this.#deps.log.error('a question could not be asked', { error })
      return { allow: false, reason: `no person could be asked: ${errorMessage(error)}` }
    }
  }

  async #one(question: DecisionQuestion, about: About, turn: ToolContext): Promise<Outcome> {
    const asked = { ...question, action: question.action ?? about.action }
    const hash = question.hash ?? hashRequest(asked, about, turn)
    return this.#decide({ ...asked, hash }, about, turn, this.#expected.get(hash))
  }

  async #decide(question: Whole, about: About, turn: ToolContext, expected: Expected | undefined): Promise<Outcome> {
    const offer = createOffer(question)
    const { reason } = question
    // A call that may have taken effect before a crash needs a person, whatever grants exist.
    if (turn.again) return this.#ask(question, offer, about, turn)
    if (this.#isUnasked(turn) || this.#granted(question, offer, turn)) return ALLOWED
    if (isJob(turn)) return denied('job', `it ${reason}, which jobs may not (approvals.cron_mode)`)
    const opinion = expected && (await this.#opinion(question, expected, turn))
    if (turn.signal.aborted) return INTERRUPTED
    if (opinion?.word === 'approve') return ALLOWED
    if (opinion?.word !== 'deny') return this.#ask(question, offer, about, turn)
    const warning = `${reason}; ${opinion.model} advises against it`
    return this.#ask({ ...question, reason: warning }, { choices: ['once', 'deny'], subjects: [] }, about, turn)
  }

  #isUnasked(turn: ToolContext): boolean {
    const { mode, cron_mode: jobs } = this.#deps.config
    return mode === 'off' || this.#deps.pending.asksNothing(turn.sessionId) || (isJob(turn) && jobs === 'approve')
  }

  #granted({ hash }: Whole, { subjects }: Offer, { sessionId, cwd }: ToolContext): boolean {
    if (subjects.length === 0) return false
    const granted = this.#deps.store.granted(sessionId, cwd)
    // Permanent grants of older versions are kept by the hash of what was asked.
    return granted.has(hash) || subjects.every((subject) => covers(granted, subject))
  }

  /** What a model says, when it is its turn: a question that a crash left is a person's already. */
  async #opinion(question: Whole, expected: Expected, turn: ToolContext): Promise<Opinion | undefined> {
    const { review, patterns, cwd } = expected
    if (this.#deps.config.mode !== 'smart' || !review) return undefined
    if (this.#deps.pending.holds(turn.sessionId, question.hash)) return undefined
    return (await this.#deps.adviser()).opinion({ ...review, reason: question.reason, patterns, cwd }, turn)
  }

  async #ask(question: Whole, offer: Offer, about: About, turn: ToolContext): Promise<Outcome> {
    const { pending, clock, random, config } = this.#deps
    const { action, reason, hash } = question
    const answer = await pending.ask(
      {
        id: random().uuid(),
        sessionId: turn.sessionId,
        turnId: turn.turnId,
        callId: turn.callId,
        tool: about.tool,
        action,
        reason,
        choices: offer.choices,
        ...(offer.covers !== undefined && { covers: offer.covers }),
        expiresAt: clock().now() + config.timeout * 1000,
        hash,
      },
      turn,
    )
    if (typeof answer === 'string') return unanswered(answer, reason, config)
    const { choice, by, reason: why } = answer
    if (choice === 'deny') {
      const told = why ? `. The user's reason: "${why}"` : ''
      return denied('user', `the user said no to this (it ${reason})${told}`)
    }
    if (choice !== 'once') this.#grant(question, offer, turn, { scope: choice, grantedBy: by })
    return ALLOWED
  }

  #grant(
    { action, reason }: Whole,
    { subjects, covers: covered = '' }: Offer,
    { sessionId, cwd }: ToolContext,
    given: Pick<Grant, 'scope' | 'grantedBy'>,
  ): void {
    const { store, clock, random } = this.#deps
    const holder = { session: sessionId, project: cwd, always: '' }[given.scope]
    for (const subject of subjects)
      store.grant({
        id: random().hex(4),
        holder,
        subject,
        action,
        reason,
        cwd,
        covers: covered,
        grantedAt: clock().now(),
        ...given,
      })
  }
}

type Whole = DecisionQuestion & { readonly action: string; readonly hash: string }

function hashRequest(
  { action, reason }: { action: string; reason: string },
  { tool }: About,
  { cwd }: ToolContext,
): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, action, reason, cwd]))
    .digest('hex')
}

function unanswered(why: Unanswered, reason: string, { timeout }: Config): Outcome {
  if (why === 'interrupted') return INTERRUPTED
  const how = `The user allows it by answering in an open \`svc chat\`, with approvals.allow in config.yaml, or with --yolo`
  const what = why === 'timeout' ? `no answer came within ${timeout} s` : 'no person is reachable who could be asked'
  return denied(why, `it ${reason}, and ${what}`, `${STOP}. ${how}`)
}

function denied(code: string, reason: string, advice: string = STOP): Outcome {
  return { allow: false, code, reason, advice }
}

/** A turn without a person who watches it. */
const isJob = ({ surface }: ToolContext) => surface === 'cron'
