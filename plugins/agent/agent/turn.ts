/** One turn under way: its inputs, and what changes while it runs. `turn-journal.ts` makes it durable and visible. */
import type {
  ImageContent,
  Message,
  Person,
  Session,
  Tool,
  ToolCall,
  TurnContext,
  TurnEndReason,
  TurnEvent,
  TurnEventData,
  TurnOptions,
  Usage,
} from 'svc/sdk'
import type { ModelReference } from 'svc/sdk/hooks'
import type { ModelChoice, ToolDefinition } from 'svc/sdk/provider'
import { totalUsage } from 'svc/sdk/sessions'
import { formatDefinitions, normaliseTool } from './definitions.ts'
import type { Channel } from './event-channel.ts'
import { LoopGuard } from './loop-guard.ts'
import type { HiddenPictures } from './pictures.ts'
import { RequestDigest } from './request-digest.ts'
import type { RunningTurn } from './running-turns.ts'
import type { Shaping } from './structured-answer.ts'
import { type Durability, TurnJournal } from './turn-journal.ts'
import { collectOrigins } from './untrusted-text.ts'

/** A customary estimate, which is near enough for English and code. */
const CHARACTERS_A_TOKEN = 4

/** The tools there were when the turn began; it ends with them whatever is reloaded meanwhile. */
export interface TurnTools {
  /** All that may be called, by name. */
  readonly all: ReadonlyMap<string, Tool>
  /** The tools that are sent to the model, in a stable order. */
  readonly offered: readonly Tool[]
  /** What the model is told of them. */
  readonly definitions: readonly ToolDefinition[]
}

/** A turn that can run, or that needs no model any more: then it has `ended`. */
export interface BegunTurn {
  readonly turn: Turn
  /** The message as the model reads it; empty where the turn has none. */
  readonly text: string
  readonly isResumed: boolean
  readonly ended?: TurnEndReason
}

export class Turn {
  readonly sessionId: string
  readonly turnId: string
  readonly options: TurnOptions
  readonly signal: AbortSignal
  readonly session: Session
  readonly person: Person
  /** The conversation as the model will read it, without the system prompt. */
  messages: Message[]
  readonly tools: TurnTools
  /** The model that is asked; another one after a fallback, until the turn ends. */
  choice: ModelChoice
  /** Model calls so far. */
  steps: number
  /** How often listeners continued it after an answer. */
  continuations = 0
  readonly guard: LoopGuard = new LoopGuard()
  readonly digest: RequestDigest = new RequestDigest()
  readonly running: RunningTurn
  usage: Usage
  /** The text of the last answer that called no tools. */
  answer = ''
  /** Why it failed. */
  error: { readonly code: string; readonly message: string } | undefined
  /** Tokens that an answer may have, once one was cut: left out, the provider's own limit holds. */
  outputLimit: number | undefined
  /** Pictures that the model of this turn did not take. */
  hiddenPictures: HiddenPictures = 'none'
  /** Of a turn whose answer must have a form. */
  shaping: Shaping | undefined
  /** What the last call of this turn read, as it was counted. */
  lastInputTokens: number | undefined
  /** Of the session, when its messages were read. */
  edition: number
  readonly #callIds: Set<string> = new Set()
  /** Of results that are not part of the conversation yet, and of those that a compression took out of it. */
  readonly #origins: Set<string> = new Set()
  /** Calls whose tools called others that read what is not the user's. */
  readonly #foreign: Map<string, string> = new Map()
  #channel: Channel<TurnEvent>
  #system: Message | undefined
  #fixedTokens: number | undefined
  readonly #journal: TurnJournal

  constructor(parts: {
    turnId: string
    session: Session
    signal: AbortSignal
    tools: TurnTools
    choice: ModelChoice
    channel: Channel<TurnEvent>
    running: RunningTurn
    options: TurnOptions
    /** Whom its hooks ask. */
    person: (turn: Turn) => Person
    /** Of a resumed turn. */
    steps?: number
    usage?: Usage
  }) {
    this.sessionId = parts.session.id
    this.turnId = parts.turnId
    this.options = parts.options
    this.session = parts.session
    this.person = parts.person(this)
    this.signal = parts.signal
    this.messages = [...parts.session.messages()]
    this.edition = parts.session.edition()
    this.tools = normaliseTools(parts.tools)
    this.choice = parts.choice
    this.running = parts.running
    this.steps = parts.steps ?? 0
    this.usage = parts.usage ?? {}
    this.#channel = parts.channel
    this.#journal = new TurnJournal(parts)
    for (const message of this.messages)
      if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) this.#callIds.add(id)
  }

  /** What hooks and tools know of it. */
  get context(): TurnContext {
    return createTurnContext(this, createReference(this.choice), this.person)
  }

  /** See `TurnJournal.record`. */
  record(events: readonly TurnEventData[], messages: readonly Message[] = [], durability?: Durability): void {
    this.#journal.throwBroken()
    this.messages.push(...messages)
    this.#journal.record(events, messages, durability)
  }

  /** Records why the turn fails. */
  fail(error: { readonly code: string; readonly message: string }, messages: readonly Message[] = []): void {
    this.error = error
    this.record([{ type: 'error', ...error }], messages, messages.length > 0 ? 'beforeVisible' : undefined)
  }

  /** See `TurnJournal.recordSoon`. */
  recordSoon(events: readonly TurnEventData[], messages: readonly Message[] = []): void {
    this.#journal.throwBroken()
    this.messages.push(...messages)
    this.#journal.recordSoon(events, messages)
  }

  /** The same object for the same text, so that it is known to have been sent before. */
  systemMessage(text: string): Message {
    if (this.#system?.text !== text) this.#system = { role: 'system', text }
    return this.#system
  }

  /** The session has it from the next record on. */
  keepPrompt(text: string): void {
    this.#journal.keepPrompt(text)
  }

  /** A plugin may have compressed the session meanwhile. */
  readAgain(): void {
    const edition = this.session.edition()
    if (edition === this.edition) return
    this.record([])
    this.edition = edition
    this.origins()
    this.messages = [...this.session.messages()]
  }

  /** Estimated tokens of the prompt before the conversation, which does not change. */
  fixedTokens(system: string, tools: readonly ToolDefinition[]): number {
    this.#fixedTokens ??= Math.ceil((system.length + formatDefinitions(tools).length) / CHARACTERS_A_TOKEN)
    return this.#fixedTokens
  }

  /** Some servers restart the ids of calls in each answer, but results, records and resumption need unique ids. */
  withOwnId(call: ToolCall): ToolCall {
    let id = call.id
    for (let count = 2; this.#callIds.has(id); count++) id = `${call.id}_${count}`
    this.#callIds.add(id)
    return id === call.id ? call : { ...call, id }
  }

  /** A call has read what is not the user's; `parent` made the call and will tell of it. */
  readForeign(origin: string, parent: string | undefined): void {
    this.#origins.add(origin)
    if (parent !== undefined) this.#foreign.set(parent, origin)
  }

  /** What the calls that this call made have read. */
  foreignBelow(callId: string): string | undefined {
    return this.#foreign.get(callId)
  }

  origins(): readonly string[] {
    for (const origin of collectOrigins(this.messages)) this.#origins.add(origin)
    return [...this.#origins]
  }

  /** See `TurnJournal.settled`. */
  settled(): Promise<void> {
    return this.#journal.settled()
  }

  /** Waits while the reader is far behind. */
  room(): Promise<void> {
    return this.#channel.room()
  }

  spend(usage: Usage): void {
    this.lastInputTokens = usage.input ?? this.lastInputTokens
    this.usage = totalUsage(this.usage, usage)
  }
}

export const createReference = ({ provider, model }: ModelChoice): ModelReference => ({
  provider: provider.name,
  model,
})

/** The only place where it is made. */
export function createTurnContext(
  { turnId, session, options }: { readonly turnId: string; readonly session: Session; readonly options: TurnOptions },
  model: ModelReference,
  person: Person,
): TurnContext {
  const { surface, purpose = 'user', parentTurnId, sender } = options
  return {
    sessionId: session.id,
    turnId,
    surface,
    cwd: session.cwd,
    model,
    purpose,
    person,
    ...(parentTurnId !== undefined && { parentTurnId }),
    ...(sender && { sender }),
  }
}

function normaliseTools({ all, offered, definitions }: TurnTools): TurnTools {
  return {
    definitions,
    all: new Map([...all].map(([name, tool]) => [name, normaliseTool(tool)])),
    offered: offered.map(normaliseTool),
  }
}

/** What the user said as a message. */
export function userMessage(text: string, images: readonly ImageContent[] | undefined): Message {
  return images?.length ? { role: 'user', text, images } : { role: 'user', text }
}
