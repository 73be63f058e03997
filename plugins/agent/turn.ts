/** One turn under way: its place in the session, and the one way in which anything of it becomes visible. */
import type { Image, Message, ModelChoice, Session, Tool, TurnEvent, TurnEventBody, TurnInfo, Usage } from 'svc/sdk'
import type { Channel } from './channel.ts'
import { LoopGuard } from './loop-guard.ts'

export class Turn implements TurnInfo {
  readonly sessionId: string
  readonly turnId: string
  readonly surface: string
  readonly signal: AbortSignal
  readonly session: Session
  /** The conversation as the model will read it, without the system prompt. */
  readonly messages: Message[]
  /** The tools there were when the turn began; it ends with them whatever is reloaded meanwhile. */
  readonly tools: ReadonlyMap<string, Tool>
  /** The model that is asked; another one after a fallback, until the turn ends. */
  choice: ModelChoice
  readonly guard: LoopGuard = new LoopGuard()
  usage: Usage = {}
  #channel: Channel<TurnEvent>

  constructor(options: {
    info: TurnInfo
    session: Session
    signal: AbortSignal
    tools: readonly Tool[]
    choice: ModelChoice
    channel: Channel<TurnEvent>
  }) {
    this.sessionId = options.info.sessionId
    this.turnId = options.info.turnId
    this.surface = options.info.surface
    this.session = options.session
    this.signal = options.signal
    this.messages = [...options.session.messages()]
    this.tools = new Map([...options.tools].sort((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => [tool.name, tool]))
    this.choice = options.choice
    this.#channel = options.channel
  }

  /** Durable first, then visible. `sync` also survives a power cut. */
  record(events: readonly TurnEventBody[], messages: readonly Message[] = [], sync?: 'sync'): void {
    if (!events.length && !messages.length) return
    const placed = this.session.record({ turnId: this.turnId, events, messages, sync: sync === 'sync' })
    this.messages.push(...messages)
    this.#channel.push(placed)
  }

  /** Waits while the reader is far behind. */
  room(): Promise<void> {
    return this.#channel.room()
  }

  spend(usage: Usage): void {
    const sum = (a?: number, b?: number) => (a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0))
    const entries = (['input', 'output', 'cachedInput', 'reasoning'] as const)
      .map((key) => [key, sum(this.usage[key], usage[key])] as const)
      .filter(([, count]) => count !== undefined)
    this.usage = Object.fromEntries(entries)
  }
}

/** What the user said as a message. */
export function userMessage(text: string, images: readonly Image[] | undefined): Message {
  return images?.length ? { role: 'user', text, images } : { role: 'user', text }
}
