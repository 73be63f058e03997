/** Stand-ins for the services of chat platforms: on loopback, for rehearsals and tests. Each platform brings its own. */
import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'

/** A person in a chat. @since 0.2 */
export interface StandInMember {
  readonly chatId: string
  readonly userId: string
  /**
   * Writes a message; resolves with its id once the service has it, not when the program has taken it. `mention`: it
   * addresses the agent the platform's way. `quote`: it answers the message with this id. `messageId`: uses this id once
   * more, as when the service delivers something twice.
   */
  say(
    text: string,
    options?: {
      readonly mention?: boolean
      readonly threadId?: string
      readonly quote?: string
      /** `isVoice`: a voice message, where the service has them; then it is the only file. */
      readonly files?: readonly {
        readonly name: string
        readonly mediaType: string
        readonly bytes: Uint8Array
        readonly isVoice?: true
      }[]
      readonly messageId?: string
    },
  ): Promise<string>
  /** Presses the button with this label under the newest message that has it. */
  press?(label: string): Promise<void>
}

/** A message as people see it now. @since 0.2 */
export interface StandInDelivery {
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
  /** `isVoice`: it is shown as a voice message; `durationMs`: how long svc said it is, where the service is told. */
  readonly files: readonly {
    readonly name: string
    readonly bytes: Uint8Array
    readonly isVoice?: boolean
    readonly durationMs?: number
  }[]
}

/**
 * What happens to the next call that sends or edits. `busy`: refused with the service's word for "too fast", a wait of
 * a second, and nothing done; `unavailable`: an answer of the kind 503, nothing done; `lost`: the connection breaks before
 * anything was done; `unanswered`: it is done, and the connection breaks before the answer; `forbidden`: refused for good.
 * @since 0.2
 */
export type SendFault = 'busy' | 'unavailable' | 'lost' | 'unanswered' | 'forbidden'

/**
 * What happens to what people write, and to the connection. `twice`: delivered twice with one id; `late`: delivered after
 * the one behind it; `flap`: connections break and can be made again; `silence`: connections stay open and nothing comes
 * any more, no heartbeat either, until `calm`; `logout`: the account is refused from now on.
 * @since 0.2
 */
export type LineFault = 'twice' | 'late' | 'flap' | 'silence' | 'logout'

/** An open service on loopback that speaks a platform's protocol. @since 0.2 */
export interface StandInService {
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
  member(options?: { readonly userId?: string; readonly group?: string }): StandInMember
  /** What is seen in all chats, oldest first. */
  deliveries(): readonly StandInDelivery[]
  /** Marks of the agent on messages, oldest first, where the service has them. */
  reactions?(): readonly { readonly messageId: string; readonly emoji: string; readonly isThere: boolean }[]
  /** Notes that only one person saw, where the service has them. */
  notices?(): readonly { readonly userId: string; readonly text: string }[]
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

/** A stand-in for the service of a platform, which its plugin contributes. It costs nothing before `open`, which imports the rest. @since 0.2 */
export interface StandIn extends Ordered {
  /** Of the platform. */
  readonly name: string
  /** Starts the service on a free port of 127.0.0.1, with empty chats. Several may be open at once. */
  open(): Promise<StandInService>
}
/** Platforms bring theirs here. @since 0.2 */
export const StandIns: ExtensionPoint<StandIn> = extensionPoint('stand-ins', (standIn) => standIn.name, undefined, {
  problem: checkMembers({ name: 'string', open: 'function' }),
})
