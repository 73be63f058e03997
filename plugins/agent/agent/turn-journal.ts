/** What a turn records: it is written to its session first and shown to readers once it is as durable as promised. */
import type { Message, Session, TurnEvent, TurnEventData } from 'svc/sdk'
import type { Channel } from './event-channel.ts'
import type { RunningTurn } from './running-turns.ts'

/** Events that wait for the end of the moment in which they came. */
const MAX_LATER = 64

/**
 * When a record outlives a power cut: before the call returns, before a reader is shown it, or some moments later. Without
 * one it outlives a crash of the process before it is shown, and a power cut only with a later record.
 */
export type Durability = 'beforeReturn' | 'beforeVisible' | 'eventually'

interface JournalDeps {
  readonly turnId: string
  readonly session: Session
  readonly channel: Channel<TurnEvent>
  readonly running: RunningTurn
}

export class TurnJournal {
  readonly #deps: JournalDeps
  /** Events and messages that wait for the next record. */
  #later: [TurnEventData[], Message[]] = [[], []]
  /** Of the session, until the next record. */
  #systemPrompt: string | undefined
  #synced: Promise<void> = Promise.resolve()
  #broken: { readonly error: unknown } | undefined

  constructor(deps: JournalDeps) {
    this.#deps = deps
  }

  /** Durable first, then visible; pending events are written before. */
  record(events: readonly TurnEventData[], messages: readonly Message[] = [], durability?: Durability): void {
    this.throwBroken()
    const [before, said] = this.#later
    this.#later = [[], []]
    this.#write([...before, ...events], [...said, ...messages], durability)
  }

  /** The same, together with what comes next in this very moment: one commit instead of two. */
  recordSoon(events: readonly TurnEventData[], messages: readonly Message[] = []): void {
    this.throwBroken()
    if (!events.length && !messages.length) return
    if (!this.#later[0].length && !this.#later[1].length) setImmediate(() => this.#flush())
    this.#later[0].push(...events)
    this.#later[1].push(...messages)
    // A provider that gives no moment would fill the memory.
    if (this.#later[0].length >= MAX_LATER) this.record([])
  }

  /** The session has it from the next record on. */
  keepPrompt(text: string): void {
    this.#systemPrompt = text
  }

  /** Resolves when what was recorded with a `Durability` outlives a power cut. */
  settled(): Promise<void> {
    return this.#synced
  }

  /** Throws once for a failure that no caller waited for: the turn still has to be ended, which works unless the disk is full. */
  throwBroken(): void {
    const broken = this.#broken
    this.#broken = undefined
    if (broken) throw broken.error
  }

  /** No caller waits for a failure such as a full disk: the next record reports it. */
  #flush(): void {
    try {
      this.record([])
    } catch (error) {
      this.#broken ??= { error }
    }
  }

  #write(events: readonly TurnEventData[], messages: readonly Message[], durability: Durability | undefined): void {
    const systemPrompt = this.#systemPrompt
    if (!events.length && !messages.length && systemPrompt === undefined) return
    this.#systemPrompt = undefined
    const { session, turnId, channel, running } = this.#deps
    const sync = durability === 'beforeReturn'
    const placed = session.record({
      turnId,
      events,
      messages,
      ...(systemPrompt !== undefined && { systemPrompt }),
      sync,
      soon: !sync,
    })
    const visible = sync ? undefined : this.#visible(durability)
    channel.push(placed, visible)
    running.touch(visible)
  }

  /** Resolves when what was just recorded may be shown. */
  #visible(durability: Durability | undefined): Promise<void> {
    const { session } = this.#deps
    const synced = durability === undefined ? undefined : session.synced()
    // A caller that waits for a later record gets the failure of the disk.
    synced?.catch(() => {})
    this.#synced = synced ?? this.#synced
    if (synced && durability === 'beforeVisible') return synced
    const committed = session.committed()
    committed.catch((error: unknown) => {
      this.#broken ??= { error }
    })
    return committed
  }
}
