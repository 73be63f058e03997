/**
 * Conversations connect a person at a front end with the agent. Every front end (a terminal, a chat, a
 * web page) opens one, gives it what was typed, and shows what comes. Provided by the plugin `conversation`.
 */
import type { UserInputSource } from './agent.ts'
import type { ApprovalHandler } from './approvals.ts'
import type { CommandContext, CommandSurface, ParsedSlashCommand } from './commands.ts'
import type { Completion } from './completions.ts'
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
import { SvcError } from './errors.ts'
import type { ImageContent } from './messages.ts'
import type { Person } from './person.ts'
import type { MessageOrigin } from './platforms.ts'
import type { PluginContext } from './plugin.ts'
import type { QuestionHandler } from './questions.ts'
import type { TurnEvent } from './turn-events.ts'
import type { TurnSettings } from './turn-settings.ts'
import type { HookDecision } from './verdict.ts'

/** How a message is handled that is typed during a turn. @since 0.2 */
export type WhenBusy = NonNullable<SendOptions['whenBusy']>

/** Settings of all turns of a conversation, until they are changed. @since 0.1 */
export type ConversationSettings = Omit<TurnSettings, 'format'>

/** A message that waits for its turn. @since 0.1 */
export interface QueuedMessage {
  readonly id: string
  readonly text: string
  readonly images?: readonly ImageContent[]
  readonly key?: string
  /** Who wrote it, where several people share the front end. */
  readonly by?: MessageOrigin
  readonly source?: UserInputSource
}

/** How a message is taken. @since 0.2 */
export interface SendOptions {
  readonly images?: readonly ImageContent[]
  /** What the person has configured unless given. */
  readonly whenBusy?: 'interrupt' | 'queue' | 'steer'
  /** Names it, as `TurnRequest.key`. It is not taken while a message with this key waits or is being taken. */
  readonly key?: string
  /** Who wrote it, where several people share the front end: what they may do is asked of `Access`. */
  readonly by?: MessageOrigin
  /** Where the text came from; left out: `person` for `type`, `plugin` for `send`. */
  readonly source?: UserInputSource
  /** What `Commands.parse` answered for this line, if the front end has asked it: the line is not parsed again. */
  readonly command?: ParsedSlashCommand
}

/** A notice to the user besides the events of turns: the reply of a command, a hint, a failure. @since 0.2 */
export interface ConversationNotice {
  /** Markdown. */
  readonly text: string
  readonly tone: 'info' | 'warning' | 'error'
}

/** A list to choose from. @since 0.2 */
export interface ChoiceDialog {
  readonly title: string
  readonly items: readonly { readonly id: string; readonly label: string; readonly detail?: string }[]
  /** The item that is in force. */
  readonly current?: string
}

/** Properties of a question besides its text. @since 0.2 */
export interface DialogOptions {
  /** Milliseconds since 1970; the question is withdrawn then. To be shown as the time that is left. Left out: it is not shown. */
  readonly expiresAt?: number
  /** The slash command that asks: who may not use it may not answer. */
  readonly command?: string
}

/**
 * What is different now: `session`: another session is shown; `messages`: messages of the session were taken back or
 * compressed; `settings`; `queue`; `busy`: a turn began or ended; `closed`.
 * @since 0.1
 */
export type ConversationChange = 'session' | 'messages' | 'settings' | 'queue' | 'busy' | 'closed'

/** The functions of a front end. It cannot do what is left out. None may throw. @since 0.2 */
export interface FrontEndHandlers {
  /** The surface of its turns: `cli`, or a platform's name. */
  readonly surface: string
  /** Which slash commands it has. */
  readonly commands: CommandSurface
  /** A person sits at it: approvals have no time limit there. */
  readonly waits?: true
  /**
   * It stays open between turns and shows those that no message began: results of work in the background come there. Left
   * out: such work is waited for.
   */
  readonly stays?: true
  /** Each event of the turns of this session, in order. */
  show(event: TurnEvent): void
  say(said: ConversationNotice): void
  changed(change: ConversationChange): void
  /** Discards messages that were not handed over yet, after a stop of all requests; returns whether there were any. */
  discard?(): boolean
  /** Whether a session belongs to the user of this front end and may be shown there; left out: every session does. */
  owns?(sessionId: string): boolean
  /** Whether a tool may run. */
  approve?: ApprovalHandler['ask']
  /**
   * Whether the line that is being handled was written after this approval had been shown: only then do words that name no
   * question answer it. Left out: a line is never older than what is shown.
   */
  wasShown?(approvalId: string): boolean
  /** A question of the model. */
  answer?: QuestionHandler['ask']
  /** Yes or no; undefined without an answer. */
  confirm?(question: string, signal: AbortSignal, options?: DialogOptions): Promise<boolean | undefined>
  /** The `id` of what was chosen; undefined when nothing was. */
  choose?(menu: ChoiceDialog, signal: AbortSignal, options?: DialogOptions): Promise<string | undefined>
  /** A line that the user types; with `secret` it is not echoed. */
  ask?(
    question: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined>
  /** A text of several lines, which begins as `text`. */
  edit?(
    dialog: { readonly title: string; readonly text: string },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined>
}

/** An open conversation. @since 0.1 */
export interface Conversation extends AsyncDisposable {
  readonly sessionId: string
  readonly cwd: string
  readonly front: FrontEndHandlers
  readonly settings: ConversationSettings
  /** A turn is under way. */
  readonly busy: boolean
  readonly queue: readonly QueuedMessage[]
  readonly open: boolean
  /**
   * Takes a line that a person typed: a slash command is run, anything else is a message. Resolves when a command is
   * finished or a message is being processed; failures are shown as notices.
   */
  type(text: string, options?: SendOptions): Promise<void>
  /** Sends a message, whatever it begins with. */
  send(text: string, options?: Omit<SendOptions, 'command'>): void
  /** Continues from the last message without a new one: a retry. */
  goOn(): void
  /** Takes a message out of the queue, to change it. */
  unqueue(id: string): QueuedMessage | undefined
  /** Stops the turn under way and empties nothing; false if no turn is running. */
  stop(): boolean
  /** Resolves when no turn is under way and the queue is empty. */
  idle(): Promise<void>
  /** What may stand in the place of the end of `text`, which is all before the cursor. */
  complete(text: string): Promise<readonly Completion[]>
  /**
   * Sets what holds for this conversation, also after a restart: it is stored with the session. A setting of `undefined` is
   * the configured value again.
   */
  change(settings: { readonly [Key in keyof ConversationSettings]?: ConversationSettings[Key] | undefined }): void
  /**
   * Shows another session from now on; the turn under way is stopped. A function makes the session once the change is
   * allowed: for `reason` `new` and `branch`. Throws `SESSION_NOT_FOUND`, and `CONVERSATION_CHANGE_DENIED` when a listener
   * of `BeforeConversationChange` objects.
   */
  switchTo(session: string | (() => string), reason?: 'new' | 'resume' | 'branch'): Promise<void>
  /** Says that messages of the session were taken back or compressed. */
  touched(): void
  say(text: string, tone?: ConversationNotice['tone']): void
  /** Where a command runs now. */
  place(signal?: AbortSignal): CommandContext
  /** Ends it: the turn under way is stopped. */
  close(): Promise<void>
}

/** Opens them. @since 0.1 */
export interface Conversations {
  /**
   * Starts in an existing session or in a new one. A turn that a crash interrupted is resumed. A session that was made
   * for it is removed at its end if it has no messages, and always, without a copy, if it is `temporary`.
   */
  start(
    front: FrontEndHandlers,
    options: {
      readonly cwd: string
      readonly sessionId?: string
      /** Asked for now: outweighs what was chosen for the session before, and is not stored with it. */
      readonly settings?: ConversationSettings
      /** What holds where nothing was chosen for the session: the settings of a chat in the configuration. */
      readonly standard?: ConversationSettings
      readonly temporary?: boolean
    },
  ): Conversation
  /** The open conversation of a session. */
  of(sessionId: string): Conversation | undefined
  all(): readonly Conversation[]
}
export const Conversations: Service<Conversations> = defineService('conversations', { free: true })

/** A conversation that shows a session from now on. @since 0.1 */
export interface OpenedConversation {
  readonly conversation: Conversation
  /** The session that is shown. */
  readonly sessionId: string
  /** `begun`: the session has no messages yet. `resumed`: it is an earlier one, of this process or another. */
  readonly reason: 'begun' | 'resumed'
}

/**
 * A conversation began, or shows another session; it is called in order, before the first turn in it is asked for.
 * @since 0.1
 */
export const ConversationOpened: NotifyHook<OpenedConversation> = notifyHook('conversation:opened')

/** A conversation that no longer shows a session. @since 0.2 */
export interface ClosedConversation {
  readonly conversation: Conversation
  /** The session that was shown; it may have been removed when nothing was said in it. */
  readonly sessionId: string
  /** `closed`: the conversation ended. `switched`: it shows another session from now on. */
  readonly reason: 'closed' | 'switched'
}

/**
 * A conversation ended, or left its session for another one. Called after its last turn, before an empty session is removed.
 * @since 0.2
 */
export const ConversationClosed: NotifyHook<ClosedConversation> = notifyHook('conversation:closed')

/**
 * A person stops what works for a conversation (`/stop`), besides its turn, which is stopped anyway. A listener stops what it has
 * begun there and adds what that was, in a few words for people: `2 subagents`.
 * @since 0.2
 */
export const StopRequested: TransformHook<readonly string[], { readonly conversation: Conversation }> = transformHook(
  'conversation:stopping',
  { accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string') },
)

/** A change that a session is about to undergo. @since 0.2 */
export interface ConversationChangeRequest {
  /**
   * `new`, `resume` and `branch`: a conversation leaves its session for a new one, an earlier one or a branch; `branch` is also
   * a branch that a shell command or a client of the API makes. `rewind`: messages are taken back. `close`: `/quit` is typed,
   * or a client of the API ends the session.
   */
  readonly reason: 'new' | 'resume' | 'branch' | 'rewind' | 'close'
  /** The session that is left, branched, rewound or closed. */
  readonly sessionId: string
  /** `resume`: the session that would be shown. */
  readonly nextSessionId?: string
  /** The conversation that shows the session; left out where a shell command or the API asks. */
  readonly conversation?: Conversation
}

/**
 * A person or a client asks for another session, a branch, an undo or an end. A listener may deny it, or have the person
 * confirm it (`ask`); without a person who can confirm it is denied. Not called when the process is told to end, when a
 * connection is lost, or for what a plugin does unasked. A failing listener has no say: a defect must not keep a person
 * in a conversation.
 * @since 0.2
 */
export const BeforeConversationChange: DecideHook<ConversationChangeRequest> = decisionHook(
  'conversation:before-change',
  { timeoutMs: 30_000, verdict: () => ({ decision: 'abstain' }) },
)

/**
 * Calls `BeforeConversationChange` and throws `CONVERSATION_CHANGE_DENIED` with the reason of the listener that objects.
 * `confirm` asks the person; default: that of the conversation.
 * @since 0.2
 */
export async function checkConversationChange(
  ctx: Pick<PluginContext<unknown>, 'call'>,
  change: ConversationChangeRequest,
  confirm: Person['confirm'] | undefined = confirmIn(change.conversation),
): Promise<void> {
  const objection = await resolveObjection(await ctx.call(BeforeConversationChange, change), confirm)
  if (objection === undefined) return
  throw new SvcError('CONVERSATION_CHANGE_DENIED', `Nothing was changed: ${objection}.`, { status: 403 })
}

/** Why a verdict forbids, as the rest of a sentence, after what it asks was put to the person; undefined where it does not. */
export async function resolveObjection(
  verdict: HookDecision | undefined,
  confirm: Person['confirm'] | undefined,
): Promise<string | undefined> {
  if (verdict?.decision === 'deny') return verdict.reason ?? 'a plugin denied it'
  if (verdict?.decision !== 'ask') return undefined
  if (!confirm) return 'a person has to confirm it, and no person can be asked here'
  for (const { action, reason } of verdict.questions ?? [])
    if (!(await confirm(action === undefined ? reason : `${action}: ${reason}`))) return 'it was not confirmed'
  return undefined
}

/** How the person of a conversation is asked to confirm; undefined without one. */
export function confirmIn(conversation: Conversation | undefined): Person['confirm'] | undefined {
  const person = conversation?.place().person
  return person?.isReachable ? person.confirm : undefined
}
