/** What every stand-in for a platform's service offers: people in its chats, what they see, and the service's faults. */

import type { FakeNotice, FakeReaction } from './reactions.ts'

/** A person in a chat. @since 0.1 */
export interface FakeMember {
  readonly chatId: string
  readonly userId: string
  /**
   * Writes a message; resolves with its id once the service has it, not when the program has taken it. `mention`: it
   * addresses the agent the platform's way.
   */
  say(text: string, options?: SayOptions): Promise<string>
  /** Presses the button with this label under the newest message that has it. */
  press?(label: string): Promise<void>
}

/** How something is said. @since 0.2 */
export interface SayOptions {
  readonly mention?: boolean
  readonly threadId?: string
  /** Answers to this message. */
  readonly quote?: string
  readonly files?: readonly { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array }[]
  /** Uses this id once more: the service delivers something twice. */
  readonly messageId?: string
}

/** A message as people see it now. @since 0.1 */
export interface FakeDelivery {
  readonly messageId: string
  readonly chatId: string
  readonly threadId?: string
  /** The message that it answers, where the stand-in knows. */
  readonly replyTo?: string
  /** As it was sent or edited last. */
  readonly raw: string
  /** The words that people see, without marks. Blanks at line ends may differ. */
  readonly visible: string
  /** All versions, oldest first. */
  readonly versions: readonly string[]
  readonly buttons: readonly string[]
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

/**
 * What happens to the next call that sends or edits. `busy`: refused with the service's word for "too fast", a wait of
 * a second, and nothing done; `unavailable`: an answer of the kind 503, nothing done; `lost`: the connection breaks before
 * anything was done; `unanswered`: it is done, and the connection breaks before the answer; `forbidden`: refused for good.
 * @since 0.1
 */
export type SendFault = 'busy' | 'unavailable' | 'lost' | 'unanswered' | 'forbidden'
export const SEND_FAULTS: readonly SendFault[] = ['busy', 'unavailable', 'lost', 'unanswered', 'forbidden']

/**
 * What happens to what people write, and to the connection. `twice`: delivered twice with one id; `late`: delivered after
 * the one behind it; `flap`: connections break and can be made again; `silence`: connections stay open and nothing comes
 * any more, no heartbeat either, until `calm`; `logout`: the account is refused from now on.
 * @since 0.1
 */
export type LineFault = 'twice' | 'late' | 'flap' | 'silence' | 'logout'
export const LINE_FAULTS: readonly LineFault[] = ['twice', 'late', 'flap', 'silence', 'logout']
/** Those of services that call svc: without a connection nothing can be silent. */
export const CALL_FAULTS: readonly LineFault[] = ['twice', 'late', 'flap', 'logout']

/** A service on loopback that speaks a platform's protocol. @since 0.1 */
export interface PlatformFake {
  /** Of the platform. */
  readonly name: string
  /** The public document that it was built from. */
  readonly document: string
  /** The block `platforms.<name>` with which svc speaks to it, and the environment that goes with it. */
  readonly config: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  /** What it can do; others are not of this platform, and are refused with an error. */
  readonly sendFaults: readonly SendFault[]
  readonly lineFaults: readonly LineFault[]
  /** A person alone with the agent, or with others in a group. */
  member(options?: { readonly userId?: string; readonly group?: string }): FakeMember
  /** What is seen in all chats, oldest first. */
  deliveries(): readonly FakeDelivery[]
  /** Marks of the agent on messages, oldest first, where the service has them. */
  reactions?(): readonly FakeReaction[]
  /** Notes that only one person saw, where the service has them. */
  notices?(): readonly FakeNotice[]
  /** Whether svc is connected, by what the service can see. */
  connected(): boolean
  /** The next `count` (default 1) sends go wrong like that. */
  failSends(fault: SendFault, count?: number): void
  /** `twice` and `late` hold for the next message; the others at once. */
  disturb(fault: LineFault): void
  /** Ends every fault. */
  calm(): void
  /** Where to point a platform that is called by the service: its public address, once svc listens. */
  callback?(url: string): void
  close(): Promise<void>
}

/** Throws for a fault that a service does not have: a test that asks for it would prove nothing. */
export function demandFault<Fault extends string>(known: readonly Fault[], fault: Fault): void {
  if (!known.includes(fault)) throw new Error(`This stand-in has no fault "${fault}", only ${known.join(', ')}.`)
}

/** Faults that wait for their call. */
export class SendFaults {
  readonly #known: readonly SendFault[]
  readonly #waiting: SendFault[] = []

  constructor(known: readonly SendFault[] = SEND_FAULTS) {
    this.#known = known
  }

  add(fault: SendFault, count = 1): void {
    demandFault(this.#known, fault)
    for (let at = 0; at < count; at++) this.#waiting.push(fault)
  }

  next(): SendFault | undefined {
    return this.#waiting.shift()
  }

  clear(): void {
    this.#waiting.length = 0
  }
}
