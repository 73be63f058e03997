/** The agent: one turn in, one typed event stream out. Every front end reads this stream and has no other way in. */
import {
  type DecideHook,
  decisionHook,
  defineService,
  type NotifyHook,
  notifyHook,
  type Service,
  type TransformHook,
  transformHook,
} from './declarations.ts'
import type { SvcError } from './errors.ts'
import type { ImageContent, Message, Usage } from './messages.ts'
import type { Person } from './person.ts'
import type { MessageOrigin } from './platforms.ts'
import type { AnswerFormat } from './providers.ts'
import type { TurnEndReason, TurnEvent, TurnEventData } from './turn-events.ts'
import type { TurnOutcome } from './turn-outcome.ts'
import type { TurnSettings } from './turn-settings.ts'

/** A request for a turn: a text with the settings of its turn. @since 0.1 */
export interface TurnRequest extends TurnSettings {
  readonly sessionId: string
  /** Left out: the model continues from the last message, which must not be its own. */
  readonly text?: string
  readonly images?: readonly ImageContent[]
  /** The front end: `cli`, `api`, a platform's name. */
  readonly surface: string
  readonly signal?: AbortSignal
  /**
   * The scripted demo may answer when no model is configured. Set it only for a person at a terminal, who sees that the demo
   * is not a model. Without it such a turn fails with `MODEL_UNAVAILABLE`, unless `provider` or the config names the demo.
   */
  readonly allowDemo?: boolean | undefined
  /** Names the message, so that its sender can tell after a crash whether its turn had begun. */
  readonly key?: string
  /**
   * What to do while another turn of the session is under way: `refuse` (default) with `AGENT_BUSY`, `queue` behind it,
   * or `interrupt` it first.
   */
  readonly whenBusy?: 'refuse' | 'queue' | 'interrupt'
  /** What the turn is for; left out: `user`. */
  readonly purpose?: TurnPurpose
  /** The turn that began this one: of a background task or a subagent. */
  readonly parentTurnId?: string
  /** Who wrote the text, where several people share the front end. */
  readonly sender?: MessageOrigin
  /** Where the text came from; left out: `person`. */
  readonly source?: UserInputSource
}

/**
 * What a turn is for. `user`: a message in a conversation, also one that a plugin sent there; `background`: a task that runs beside
 * a conversation; `subagent`: a part of another turn; `scheduled`: a job that began at its time.
 * @since 0.2
 */
export type TurnPurpose = 'user' | 'background' | 'subagent' | 'scheduled'

/**
 * Who or what wrote the text of a turn: a person at a front end, a plugin, or a process that reports its output or its end.
 * @since 0.2
 */
export type UserInputSource = 'person' | 'plugin' | 'process'

/**
 * A turn: its events, or awaited, what it came to. An awaited turn runs to its end and does not reject because it failed: see
 * `TurnOutcome.error` and `TurnOutcome.reason`.
 * @since 0.2
 */
export interface TurnRun extends AsyncIterable<TurnEvent>, PromiseLike<TurnOutcome> {}

/** Provided by the plugin `agent`. @since 0.1 */
export interface Agent {
  /**
   * Runs one turn. The stream always ends with `turn.end`; a failure is an `error` event before it.
   * Every event is on disk before it is yielded. Leaving the loop early interrupts the turn. The turn begins when it is
   * iterated or awaited: `const { text, error } = await agent.run({ sessionId, text })`. Without a `surface` it has that of
   * its session.
   */
  run(request: Omit<TurnRequest, 'surface'> & Partial<Pick<TurnRequest, 'surface'>>): TurnRun
  /**
   * Why no turn can end with an answer in this format, checked before the turn begins: the schema is not
   * valid (`AGENT_FORMAT_INVALID`) or the model cannot be constrained to it (`AGENT_FORMAT_UNSUPPORTED`). `run` ends such a turn
   * with an `error` event. Undefined when it can. Rejects with what `Models.choose` throws.
   */
  formatProblem(
    wanted: Pick<TurnRequest, 'provider' | 'model'> & { readonly format: AnswerFormat },
  ): Promise<SvcError | undefined>
  /**
   * Finishes the turn that a crash left in this session: pure tools run again, idempotent ones with their key, others
   * only when a person says so. A turn that was resumed twice is closed instead, with an explanation. Yields nothing
   * if there is no such turn. `run` closes it too, without finishing it, because the user has sent something new.
   */
  resume(sessionId: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<TurnEvent>
  /** Events after `seq`: those on disk, then those of the turn under way in this process, until it ends. */
  follow(sessionId: string, seq: number): AsyncIterable<TurnEvent>
  /**
   * The events of all turns of this process, of every front end, background task and plugin, from the call on: those of one session in
   * order, each once it is on disk. Nothing is lost between two reads, however late they are: what was not read yet is not held
   * in memory, but read from the session. It does not end with a turn; it ends with `signal`, with `close`, when the loop is
   * left, and with the plugin that asked. A reader that is late by a turn gets
   * texts in `message.complete` and not in pieces; events of sessions that were removed meanwhile are left out.
   */
  events<Type extends TurnEvent['type'] = TurnEvent['type']>(options?: {
    readonly sessionId?: string
    /** Only events of these types. */
    readonly types?: readonly Type[]
    readonly signal?: AbortSignal
  }): TurnEventStream<Extract<TurnEvent, { readonly type: Type }>>
  /**
   * Adds a text to the running turn: it comes with the next tool result, or after the answer that is being written. False if
   * no turn runs, or the one that does has its last answer: then the text is to be sent as a message. `key` names it: the event
   * `steer`, with which the text is on disk, has it; a turn that is stopped before drops the text.
   */
  steer(
    sessionId: string,
    text: string,
    options?: { readonly source?: UserInputSource; readonly sender?: MessageOrigin; readonly key?: string },
  ): boolean
  /** Stops the running turn; what was shown is kept. False if no turn is running. */
  interrupt(sessionId: string): boolean
  busy(sessionId: string): boolean
}
export const Agent: Service<Agent> = defineService('agent', { registers: ['events'] })

/** Events until it is closed. @since 0.2 */
export interface TurnEventStream<Event extends TurnEvent = TurnEvent>
  extends AsyncIterableIterator<Event, undefined>,
    Disposable {
  close(): void
}

/** A turn, as hooks see it. @since 0.2 */
export interface TurnContext {
  readonly sessionId: string
  readonly turnId: string
  readonly surface: string
  /** Where the session works; absolute. */
  readonly cwd: string
  /**
   * The model that answers: another one after a fallback. Both are empty where none could be chosen, in the hooks that are
   * called before a model is needed.
   */
  readonly model: ModelReference
  readonly purpose: TurnPurpose
  /** The turn that began this one. */
  readonly parentTurnId?: string
  /** Who wrote the message, where the front end knows. */
  readonly sender?: MessageOrigin
  /** The person at the front end: to confirm, choose, ask, edit and say. The time limit of a listener waits for the answer. */
  readonly person: Person
}

/** A model of a provider, by their names. @since 0.2 */
export interface ModelReference {
  readonly provider: string
  readonly model: string
}

/**
 * Whether a message becomes a turn; `text` is what was typed. `deny` ends the turn before the model is asked: the message does not
 * become part of the conversation, and the turn has the error `TURN_REFUSED` with the reason. `ask` denies, too: ask
 * `person` instead. `signal` aborts when the turn is interrupted.
 * @since 0.2
 */
export const BeforeTurn: DecideHook<TurnContext & { readonly text: string; readonly signal: AbortSignal }> =
  decisionHook('turn:before', {
    timeoutMs: 600_000,
    verdict: () => ({ decision: 'deny', reason: 'a check of the message failed' }),
  })

/** A user's text came in and its sender is allowed. Listeners may rewrite it. @since 0.2 */
export const BeforeUserMessage: TransformHook<string, TurnContext> = transformHook('message:received', {
  accepts: (text) => typeof text === 'string',
})

/**
 * Pictures that go with a user's message; `text` is what was typed. Listeners add those that the text names.
 * @since 0.2
 */
export const SelectUserImages: TransformHook<readonly ImageContent[], TurnContext & { readonly text: string }> =
  transformHook('message:images', { accepts: (images) => Array.isArray(images) })

/** A request that is about to be made. @since 0.2 */
export interface ModelRequestContext extends Omit<TurnContext, 'model'> {
  readonly provider: string
  readonly model: string
  /** Tokens of the system prompt and the definitions of tools, estimated. */
  readonly fixedTokens: number
  /** What the last call of this turn read, as its provider counted. */
  readonly lastInputTokens?: number
  /** The provider has just refused these messages as too long for the model. */
  readonly overflowed: boolean
  readonly signal: AbortSignal
  /** Puts an event into the turn's stream. */
  emit(event: TurnEventData): void
  /** Writes what of the turn waits to be written: to be called before the session is read or changed. */
  flush(): void
}

/**
 * The messages about to be sent to the model. Compression lives here: a listener that compresses the session returns
 * its new messages. What listeners change otherwise holds for this request only.
 * @since 0.2
 */
export const BeforeModelRequest: TransformHook<readonly Message[], ModelRequestContext> = transformHook(
  'request:building',
  {
    timeoutMs: 300_000,
  },
)

/**
 * A turn begins: its first events and its message are recorded, and the model is asked next. Also called for a turn that continues
 * after a crash, with `isResumed`. `text` is what the model reads of the message; empty where the turn has none. Not called for
 * turns that could not begin, because a gate refused the message or no model could be chosen.
 * @since 0.2
 */
export const TurnStarted: NotifyHook<TurnContext & { readonly text: string; readonly isResumed: boolean }> =
  notifyHook('turn:started')

/**
 * A turn that had begun is over and its answer is stored. `text` is the last answer; it is empty if there was none. `usage` is the
 * sum of the turn; its `costUsd` is in US dollars. `error` says why it failed. `model` answered last.
 * @since 0.1
 */
export const TurnEnded: NotifyHook<
  TurnContext & {
    readonly reason: TurnEndReason
    readonly usage: Usage
    readonly text: string
    readonly error?: { readonly code: string; readonly message: string }
  }
> = notifyHook('turn:ended')

/** A text that goes to the model as a user's message, with its pictures. @since 0.2 */
export interface UserInput {
  readonly text: string
  readonly images: readonly ImageContent[]
  /** The answer: no model is asked. It is shown and recorded like the answer of a model. */
  readonly reply?: string
}

/** Where an input came from. @since 0.2 */
export interface UserInputContext extends TurnContext {
  readonly source: UserInputSource
  /** The text is added to a turn under way. Its pictures and those of listeners are ignored there. */
  readonly isSteer: boolean
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal
}

/**
 * A text came in at any front end, its sender is allowed, and it is not a slash command: the first hook of a turn, before
 * `BeforeTurn` and `BeforeUserMessage`. Listeners change it, add pictures, or answer it with `reply`. Also called for a text
 * that is sent while a turn is under way. Not called for a turn without a text, such as a retry.
 * @since 0.2
 */
export const BeforeUserInput: TransformHook<UserInput, UserInputContext> = transformHook('message:input', {
  accepts: isUserInput,
})

function isUserInput(value: unknown): boolean {
  const { text, images, reply } = (value ?? {}) as Record<string, unknown>
  return typeof text === 'string' && Array.isArray(images) && (reply === undefined || typeof reply === 'string')
}

/** Another model answers from now on. @since 0.2 */
export interface ModelChange {
  readonly sessionId: string
  /** A part that is left out is what the configuration chooses. */
  readonly from: Partial<ModelReference>
  readonly to: Partial<ModelReference>
  /** `chosen`: for the conversation, by a person or a plugin. `fallback`: the other model failed; it lasts for the turn. */
  readonly reason: 'chosen' | 'fallback'
  /** Of a fallback. */
  readonly turnId?: string
}

/** The model of a conversation or of a turn has changed. @since 0.2 */
export const ModelChanged: NotifyHook<ModelChange> = notifyHook('model:changed')

/** A turn whose answer is complete and recorded. @since 0.2 */
export interface TurnEnding {
  /** The text of the answer. */
  readonly answer: string
  /** How often listeners continued this turn. */
  readonly continuations: number
  /** What the model is told next, as a message that it has to answer; left out: the turn ends. */
  readonly continueWith?: string
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal
}

/**
 * A turn is about to end with an answer. A listener that has more for the model to do returns the value with `continueWith`, and
 * keeps what an earlier one put there. A turn is continued ten times at most; the cap on model calls holds, too. Not called for
 * turns that fail or are interrupted.
 * @since 0.2
 */
export const BeforeTurnEnd: TransformHook<TurnEnding, TurnContext> = transformHook('turn:before-end', {
  accepts: isEnding,
})

function isEnding(value: unknown): boolean {
  const { answer, continueWith } = (value ?? {}) as Record<string, unknown>
  return typeof answer === 'string' && (continueWith === undefined || typeof continueWith === 'string')
}
