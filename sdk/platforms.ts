/** Chat platforms: where people write and are answered. The gateway connects them; each is one plugin. */
import type { FileKind } from './attachments.ts'
import type { CommandMenuEntry, CommandMenuLimits } from './commands.ts'
import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import type { Markup } from './markup.ts'
import type { AudioFormat } from './media.ts'
import type { PlatformSettings } from './platform-settings.ts'

/** The kind of a chat. `dm`: one person alone with the agent; all others have several. @since 0.2 */
export type ChatType = 'dm' | 'group' | 'channel'

/** The sender and the chat of a message. Ids are the platform's own, immutable ones: never display names. @since 0.2 */
export interface MessageOrigin {
  readonly platform: string
  readonly chatId: string
  readonly userId: string
  /** Left out: `dm`. */
  readonly chatKind?: ChatType
  /** A thread or topic in the chat. */
  readonly threadId?: string
  /** The server or workspace that the chat belongs to. The built-in rules do not read it: it is for another `Access` service. */
  readonly scopeId?: string
  /** Roles of the user there, by their ids. */
  readonly roleIds?: readonly string[]
  /** Another program wrote it. */
  readonly isBot?: boolean
  /** The agent was addressed: by its name, or by a reply to one of its messages. Ignored in a `dm`. */
  readonly isMention?: boolean
}

/**
 * A file that came with a message; it is fetched later, with `Platform.fetch`. Plain data: it is kept until then.
 * @since 0.1
 */
export interface InboundFile {
  /** What the platform needs to fetch it: an id or an address. */
  readonly ref: string
  readonly name: string
  /** Reported by the platform; not trustworthy. */
  readonly mediaType?: string
  /** In bytes, if the platform reports it. */
  readonly size?: number
  /** Speech, recorded to be heard instead of read. */
  readonly isVoice?: boolean
  /** The service has transcribed it, and `text` of its message is what it understood: it is neither fetched nor transcribed again. */
  readonly isTranscribed?: true
}

/** A message that came in. @since 0.2 */
export interface InboundMessage extends MessageOrigin {
  /** The platform's id of this message, by which a repeated delivery is known. Unique within the chat. */
  readonly messageId: string
  readonly text: string
  /** For people only; no right hangs on it. */
  readonly userName?: string
  readonly chatName?: string
  /** The message that it replies to, if the platform reports it. */
  readonly quote?: { readonly messageId: string; readonly text?: string }
  readonly files?: readonly InboundFile[]
  /**
   * The chat that the person was looking at while writing, where the platform reports it; left out if it is the same as with the
   * message before. The model is told, as data; no right hangs on it.
   */
  readonly viewing?: { readonly chatId: string; readonly name?: string }
  /** The `value` of a button that was pressed; `text` is its label then. */
  readonly press?: string
  /** When it was written, in milliseconds since 1970. */
  readonly at?: number
  /** Only for this message, behind the system prompt: what an event's route asks for. */
  readonly skills?: readonly string[]
}

/** A button under a message. @since 0.2 */
export interface MessageButton {
  /** At most 40 ASCII characters; comes back as `Inbound.press`. */
  readonly value: string
  readonly label: string
  readonly style?: 'primary' | 'danger'
}

/** A file that goes out. @since 0.1 */
export interface OutboundFile {
  readonly name: string
  readonly mediaType: string
  readonly kind: FileKind
  /** In bytes. */
  readonly size: number
  /** A voice message. */
  readonly isVoice?: true
  /** Its content, which stays the same for every attempt. */
  bytes(): Promise<Uint8Array>
}

/** A message that goes out. @since 0.2 */
export interface OutboundMessage {
  readonly chatId: string
  readonly threadId?: string
  /** In the platform's markup, no longer than its limit. Empty only with a file. */
  readonly text: string
  /** The same when it is tried again: at most 64 ASCII characters. */
  readonly key: string
  /** The message it answers to. */
  readonly replyTo?: string
  /** Only where `limits.buttons` is set. */
  readonly buttons?: readonly MessageButton[]
  /**
   * Only where `limits.files` is set; more than one only where `limits.album` allows it. All of them arrive as one message,
   * with `text` as its caption, or none does.
   */
  readonly files?: readonly OutboundFile[]
  /**
   * Where `limits.commits` is set: called right before the byte with which the platform may take the message. Throws when
   * the attempt is over or this cannot be written down: then that byte must not leave.
   */
  commit?(): void
  /** What `writeNote` kept last for this message, in this attempt or an earlier one, also of a process that died. */
  readonly note?: string
  /**
   * Keeps a note for this message until it is delivered: what tells `find` and a later `send` what was begun, such as the id of an
   * upload. It survives a power cut once the call returns. At most 2,000 characters; a later one replaces it. Throws when the attempt
   * is over or the note cannot be written: then what it is about must not be sent.
   */
  writeNote?(note: string): void
}

/** The new content of a message that was sent. @since 0.2 */
export interface OutboundMessageEdit
  extends Omit<OutboundMessage, 'key' | 'replyTo' | 'files' | 'commit' | 'note' | 'writeNote'> {
  readonly messageId: string
  /** No further edit will come. */
  readonly isFinal: boolean
}

/** The receipt of the platform for an accepted message. @since 0.2 */
export interface SendReceipt {
  readonly messageId: string
  /** When the platform took it, in milliseconds since 1970 by the platform's clock: the one of `Inbound.at`. */
  readonly at?: number
}

/** A message in a chat that was not addressed to the agent. @since 0.2 */
export interface OverheardMessage {
  readonly messageId: string
  readonly userId: string
  readonly userName?: string
  readonly text: string
}

/** The result of handing a message over. @since 0.2 */
export interface InboundResult {
  /**
   * `taken`: a message or command; `answered`: it answered a question; `gone`: the question of a button is closed; `early`: it is
   * older than the question that it would answer; `forbidden`: the sender may not answer; `refused`: the sender may not write;
   * `ignored`: not meant for the agent; `duplicate`: delivered before.
   */
  readonly outcome: 'taken' | 'answered' | 'gone' | 'early' | 'forbidden' | 'refused' | 'ignored' | 'duplicate'
  /** Plain text for the person who pressed a button, only if `limits.notices` is set: it replaces any other reply. */
  readonly notice?: string
}

/** A short note for one person. @since 0.2 */
export interface PrivateNotice {
  readonly chatId: string
  readonly threadId?: string
  readonly userId: string
  /** Plain text, at most 200 characters. */
  readonly text: string
}

/**
 * How far a message is: an emoji under it says so. `undefined` in `MessageReaction` takes away what was there.
 * @since 0.1
 */
export type ReactionState = 'working' | 'done' | 'failed'

/** A reaction of the agent to a message of a person. @since 0.2 */
export interface MessageReaction {
  readonly chatId: string
  readonly threadId?: string
  readonly messageId: string
  /** Takes the place of the one before. */
  readonly state: ReactionState | undefined
  /** What the agent had set before, for platforms on which one reaction does not replace another. */
  readonly before: ReactionState | undefined
}

/** So many in so many milliseconds. @since 0.2 */
export interface RateLimit {
  readonly count: number
  readonly perMs: number
}

/** The capabilities of a platform; the gateway splits and paces messages by them. @since 0.1 */
export interface PlatformLimits {
  /** Longest text of one message, by `measure`. */
  readonly maxTextLength: number
  /** What is counted: UTF-16 units (default), characters as Unicode counts them, or bytes of UTF-8. */
  readonly measure?: 'utf16' | 'codepoints' | 'bytes'
  /**
   * How a lost response is resolved after a message was sent. `key`: a repeated `send` with one key makes one
   * message; `lookup`: `find` tells; `none`: it stays unknown, and the message is not sent again unless the user asks.
   */
  readonly idempotency: 'key' | 'lookup' | 'none'
  /**
   * `send` calls `Outbound.commit`: a failure or a crash before that has sent nothing, and is tried again. Left out: a
   * message may have been sent as soon as `send` was called.
   */
  readonly commits?: boolean
  /** How its text is marked up; left out: plain text. */
  readonly markup?: Markup
  /** Sends and edits together, in one chat and in all. */
  readonly rate?: { readonly chat?: RateLimit; readonly all?: RateLimit }
  /** Milliseconds between two edits of one message (default 800). */
  readonly editEveryMs?: number
  /** The most buttons under one message. */
  readonly buttons?: number
  /** The largest file that it accepts, in bytes. Left out: it accepts no files, and they are described as text. */
  readonly files?: number
  /** Longest text of a message with files, by `measure` (default `maxTextLength`). 0: such a message has no text. */
  readonly caption?: number
  /** The most files of one message (default 1). A voice message is always alone. */
  readonly album?: number
  /** Bytes of all files of one message together; left out: any. */
  readonly albumBytes?: number
  /** Kinds of files that one message may have together; left out: any. A kind that is not listed is sent alone. */
  readonly albumKinds?: readonly (readonly FileKind[])[]
  /**
   * Formats that a file with `isVoice` is shown in as a voice message, the best first. Left out: the platform has none, and speech
   * is a sound among other files. @since 0.2
   */
  readonly voice?: readonly AudioFormat[]
  /** Longest text of a message with a voice message, by `measure` (default `caption`). 0: it has no text. @since 0.2 */
  readonly voiceCaption?: number
  /** Milliseconds for which a `messageId` is not used for another message (default: for ever). */
  readonly duplicateWindowMs?: number
  /** Which tool calls are shown in chats unless `display` is configured (default `off`). */
  readonly toolProgress?: 'off' | 'new' | 'all'
  /** Whether what was understood of a voice message is shown in chats unless `display` says so (default true). @since 0.2 */
  readonly transcripts?: boolean
  /** A thread is one conversation: once the agent was addressed in it, all of its messages are for the agent. */
  readonly threadTalks?: boolean
  /** Shows `Reception.notice` to the person who pressed a button. */
  readonly notices?: boolean
  /** Automatic responders write there and cannot be told from people: loops with them end sooner. */
  readonly unattended?: boolean
  /** Begins a command where `/` cannot be typed (default `/`). */
  readonly commandPrefix?: string
}

/** Where what people may do is set in the environment: names of variables with ids, separated by commas. @since 0.2 */
export interface AccessEnvNames {
  readonly users?: string
  readonly chats?: string
  readonly roles?: string
  /** A truthy value lets everybody in. */
  readonly everyone?: string
  /** The chat that messages go to when only the platform is named. */
  readonly home?: string
}

/** The connection as a platform sees it: how to pass on messages and report its state. @since 0.2 */
export interface GatewayConnection {
  /**
   * Takes a message. Resolves once it is safe; until then the platform must not acknowledge it. Rejects when it could not
   * be taken: then it must be delivered again. `platform` of the message may be left out.
   */
  receive(message: Omit<InboundMessage, 'platform'> & Partial<Pick<InboundMessage, 'platform'>>): Promise<InboundResult>
  /** The server was heard of: an event, a heartbeat, an answer. Cheap; say it often. */
  alive(): void
  /**
   * The connection is lost; the gateway calls `connect` again. `final` means that retrying is useless until
   * the user changes something: see `reason`.
   */
  lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void
  /** How far the platform has read in an account. `account` is all that tells one from another: a server, a name, a topic. */
  cursor(account: string): ReadCursor
  readonly signal: AbortSignal
}

/**
 * How far a platform has read, over restarts and crashes. It is set after what was read has been received; after a crash it may
 * be a little older than what was received, never newer.
 * @since 0.1
 */
export interface ReadCursor {
  /** What was set last, in the words of the service; undefined in an account that was never read. */
  get(): string | undefined
  set(value: string): void
}

/** How svc is linked to an account that a phone has. @since 0.2 */
export interface PhoneLinking {
  /** The variable of the platform that the account is written to. */
  readonly variable: string
  /** Where the phone scans the code, such as `Signal, Settings, Linked devices`. */
  readonly instructions: string
  /**
   * Begins to link. `values` are variables as they are about to be set; others are those in force. Aborting `signal` ends it. Throws
   * a `SvcError` with what to fix.
   */
  start(options: {
    readonly values: Readonly<Record<string, string>>
    readonly signal: AbortSignal
  }): Promise<PhoneLink>
}

/** A link that waits for the phone. @since 0.2 */
export interface PhoneLink {
  /** What the phone scans, as a QR code. With it the account can be taken over: it is shown to the person, and never stored or logged. */
  readonly address: string
  /** The account, once the phone has agreed. Rejects when the code has expired, was declined, or the signal aborted. */
  readonly account: Promise<string>
}

/**
 * Contributed to `Platforms`. The `signal` of a method aborts when its answer is not waited for any more: what was begun may be
 * cut off, and an error counts as it does otherwise.
 * @since 0.1
 */
export interface Platform extends Ordered {
  readonly name: string
  readonly label: string
  readonly limits: PlatformLimits
  /** The keys of its config block that all platforms share; left out: their defaults. */
  readonly settings?: PlatformSettings
  readonly access?: AccessEnvNames
  /**
   * How an answer there should be written, for the model: one or two sentences, such as `Answers are sent as SMS: write one
   * short paragraph.` Markup, length and files are derived from `limits`. Left out: answers are short chat messages.
   */
  readonly hint?: string
  /** What comes in are events of machines that were let in elsewhere, not words of people. */
  readonly isEvents?: boolean
  /** Unknown senders get no answer at all, not even an offer to pair. */
  readonly isSilent?: boolean
  /** What of its configuration is missing, as a sentence: then it is not connected. Cheap. */
  missing?(): string | undefined
  /**
   * The URL under which people reach the agent from a phone, such as `https://t.me/name`; shown as a QR code. It holds no secret.
   * Undefined where the service has no such address. Without a connection the service is asked whose account it is, and nothing else:
   * no message is taken. Throws as `connect` does. @since 0.2
   */
  contact?(signal?: AbortSignal): Promise<string | undefined>
  /** Where a phone has the account: how svc is linked to it. @since 0.2 */
  readonly linking?: PhoneLinking
  /** What two processes must not use at once, such as a token; it is kept as a hash only. */
  account?(): string | undefined
  /** Resolves once messages arrive; throws a `SvcError` with what to fix. An error made with `refused` is not retried. */
  connect(link: GatewayConnection): Promise<void>
  /** Throws what `refused`, `busy` and `unsure` make; anything else counts as `unsure`. */
  send(message: OutboundMessage, signal?: AbortSignal): Promise<SendReceipt>
  /**
   * Where `idempotency` is `lookup`: the message that was sent with this key, or as `message.note` says; undefined if there is no such
   * message.
   */
  find?(message: OutboundMessage, signal?: AbortSignal): Promise<SendReceipt | undefined>
  /** Throws as `send` does. */
  edit?(message: OutboundMessageEdit, signal?: AbortSignal): Promise<void>
  /**
   * The service's menu of slash commands. The gateway calls `show` once the platform is connected, and again when the commands
   * have changed, one call at a time; entries are cut to `limits`. `show` replaces the whole menu and throws when it could not:
   * the platform works as well without. Also for platforms of other plugins.
   */
  readonly commandMenu?: {
    readonly limits: CommandMenuLimits
    show(entries: readonly CommandMenuEntry[], signal: AbortSignal): Promise<void>
  }
  /** Shows that an answer is being written; it disappears after a while. */
  typing?(chatId: string, threadId?: string, signal?: AbortSignal): Promise<void>
  /** Shows an ephemeral note to one person. Throws as `send` does; then it is posted in the chat. */
  notify?(notice: PrivateNotice, signal?: AbortSignal): Promise<void>
  /**
   * Messages of others between the agent's last message and a message of a person: oldest first, at most `limit`.
   * Asked only for messages that are answered. Throws as `send` does; then the message is answered without it.
   */
  earlier?(
    message: InboundMessage,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly OverheardMessage[]>
  /** Marks a message of a person. An ornament: called in order for each message, never waited for, its failure is ignored. */
  react?(reaction: MessageReaction, signal?: AbortSignal): Promise<void>
  /** A file of a message; rejects with `PLATFORM_FILE_LARGE` past `maxBytes` (0: no limit). */
  fetch?(file: InboundFile, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<Uint8Array>
  /** A round trip that proves the connection. Never throws. */
  probe(signal?: AbortSignal): Promise<boolean>
  close(): Promise<void>
}
/** @since 0.1 */
export const Platforms: ExtensionPoint<
  Platform,
  /**
   * `label` is otherwise the name, and `limits` are those of messages of 4000 characters, of which a lost response is not resolved.
   * Without `probe` only the platform itself says when its connection is lost; without `close` there is nothing to close.
   */
  Omit<Platform, 'label' | 'limits' | 'probe' | 'close'> &
    Partial<Pick<Platform, 'label' | 'limits' | 'probe' | 'close'>>
> = extensionPoint('platforms', (platform: Platform) => platform.name, undefined, {
  problem: checkMembers({ name: 'string', connect: 'function' }),
  defaults: ({ name }: { readonly name: string }) => ({
    label: name,
    limits: { maxTextLength: 4000, idempotency: 'none' },
    probe: async () => true,
    close: async () => {},
  }),
})
