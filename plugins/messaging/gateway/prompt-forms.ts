/** The front end that a chat is: events of turns become messages, questions become prompts. */
import { createHash } from 'node:crypto'
import {
  type ApprovalChoice,
  type ApprovalRequest,
  type ConversationChange,
  duration,
  type FrontEnd,
  type Logger,
  type Menu,
  type Outbox,
  type OutboxPost,
  type Question,
  type Said,
  type Translate,
  type TurnEndReason,
  type TurnEvent,
} from 'svc/sdk'
import { type ChatState, type ChatView, newTurn, render, stillWorking } from './chat-renderer.ts'
import { inDoubt } from './doubt.ts'
import type { Prompt, Prompts } from './prompts.ts'
import { type TurnFilePorts, TurnFiles } from './turn-files.ts'

/** What a chat gives its front. */
export interface FrontPorts {
  readonly platform: string
  readonly prompts: Prompts
  readonly t: Translate
  readonly outbox: () => Outbox
  /** Where messages go now, and what they belong to. */
  place(): Omit<OutboxPost, 'key' | 'text'>
  newKey(): string
  now(): number
  /** Milliseconds between two versions of a message that is being written; undefined: only whole messages. */
  draftEveryMs(): number | undefined
  /** How progress is shown there; undefined: not at all. */
  display(): ChatView['display']
  /** Events of the turn before this one, in another process: messages that were whole, and what brought files. */
  earlier(turnId: string, seq: number): readonly TurnEvent[]
  /** Reads a file that a result carries. */
  readFile: TurnFilePorts['read']
  readonly log: Logger
  /** An event of a turn came. */
  moved(): void
  began(key: string | undefined, turnId: string): void
  ended(turnId: string, reason: TurnEndReason): void
  changed(change: ConversationChange): void
  /** Whether a question was shown before the message that is worked on was written. */
  wasShown(promptId: string): boolean
  /** Forgets messages that the conversation does not have yet; whether there were any. */
  discard(): boolean
  /** Whether a session was begun in this chat. */
  owns(sessionId: string): boolean
}

/** Words that answer whether a tool may run. */
export const approvalWords: Readonly<Record<ApprovalChoice, readonly string[]>> = {
  once: ['yes', 'y', 'ok', 'approve', 'once'],
  session: ['session'],
  project: ['project'],
  always: ['always'],
  deny: ['no', 'n', 'deny'],
}

/** Begins the keys of what is said about messages in doubt. */
const DOUBT = 'doubt:'
/** The subject of an approval is shown in full, in several messages if it is long, up to this length. */
const MAX_ACTION = 50_000

/** Contract: `FrontEnd` of the SDK. */
export class ChatFront implements FrontEnd {
  readonly surface: string
  readonly commands = 'gateway'
  readonly #ports: FrontPorts
  #state: ChatState
  #files: TurnFiles
  readonly #view: ChatView

  constructor(ports: FrontPorts) {
    this.surface = ports.platform
    this.#ports = ports
    this.#view = {
      get now() {
        return ports.now()
      },
      get draftEveryMs() {
        return ports.draftEveryMs()
      },
      get display() {
        return ports.display()
      },
    }
    this.#state = newTurn('', ports.now())
    this.#files = this.#newFiles('')
  }

  show(event: TurnEvent): void {
    this.#ports.moved()
    if (event.type === 'turn.start' || event.type === 'turn.resume') this.#files = this.#newFiles(event.turnId)
    this.#render(event)
    if (event.type === 'turn.start') this.#ports.began(event.options?.key, event.turnId)
    else if (event.type === 'turn.resume') {
      this.#ports.began(undefined, event.turnId)
      this.#resume(event.turnId, event.seq)
    } else if (event.type === 'turn.end') this.#end(event.turnId, event.reason)
  }

  say({ text, tone }: Said): void {
    const mark = tone === 'error' ? '⚠️ ' : ''
    this.#post({ key: `say:${this.#ports.newKey()}`, text: `${mark}${text}` })
  }

  changed(change: ConversationChange): void {
    this.#ports.changed(change)
  }

  discard(): boolean {
    return this.#ports.discard()
  }

  owns(sessionId: string): boolean {
    return this.#ports.owns(sessionId)
  }

  wasShown(approvalId: string): boolean {
    return this.#ports.wasShown(shortId(approvalId))
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined> {
    const { t } = this.#ports
    const { action } = request
    if (action.length > MAX_ACTION) {
      const text = t(
        '{tool} asks to run something of {count} characters. That is too long to be read here, so it is refused.',
        {
          tool: request.tool,
          count: action.length,
        },
      )
      this.say({ text, tone: 'warning' })
      return 'deny'
    }
    const labels: Readonly<Record<ApprovalChoice, Omit<Prompt['options'][number], 'id'>>> = {
      once: { label: t('Allow once'), words: approvalWords.once, style: 'primary' },
      session: { label: t('Allow for this conversation'), words: approvalWords.session },
      project: { label: t('Allow for this project'), words: approvalWords.project },
      always: { label: t('Always allow'), words: approvalWords.always },
      deny: { label: t('Deny'), words: approvalWords.deny, style: 'danger' },
    }
    const head = t('The agent asks to run {tool}: it {reason}.', { tool: request.tool, reason: request.reason })
    const { covers } = request
    const lasting =
      covers === undefined ? '' : `\n\n${t('An answer for longer than once covers {covers}.', { covers })}`
    const answer = await this.#ports.prompts.ask(
      {
        id: shortId(request.id),
        text: `${head}\n\n\`\`\`\n${action.replaceAll('```', "'''")}\n\`\`\`${lasting}\n\n${t('Answer here, or with /approve or /deny.')}`,
        options: request.choices.map((id) => ({ id, ...labels[id] })),
        right: 'approve',
      },
      signal,
    )
    return request.choices.find((choice) => choice === answer)
  }

  async answer({ id, text, choices }: Question, signal: AbortSignal): Promise<string | undefined> {
    const options = choices.map((label, at) => ({ id: String(at), label }))
    const given = await this.#ports.prompts.ask({ id: shortId(id), text, options, isFree: true }, signal)
    return options.find((option) => option.id === given)?.label ?? given
  }

  async confirm(question: string, signal: AbortSignal): Promise<boolean> {
    const { t } = this.#ports
    const options = [
      { id: 'yes', label: t('Yes'), words: ['yes', 'y', 'ok', 'once'], style: 'danger' as const },
      { id: 'no', label: t('No'), words: ['no', 'n', 'cancel'] },
    ]
    return (
      (await this.#ports.prompts.ask({ id: this.#newId(), text: question, options, yields: true }, signal)) === 'yes'
    )
  }

  async choose({ title, items, current }: Menu, signal: AbortSignal): Promise<string | undefined> {
    const options = items.slice(0, 50).map(({ label, detail, id }, at) => ({
      id: String(at),
      label: `${id === current ? '● ' : ''}${label}${detail ? ` (${detail})` : ''}`,
    }))
    const given = await this.#ports.prompts.ask({ id: this.#newId(), text: title, options, yields: true }, signal)
    return given === undefined ? undefined : items[Number(given)]?.id
  }

  /** A secret has no place in a chat. */
  async ask(
    { text, secret }: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (secret) {
      this.say({
        text: this.#ports.t('This needs a secret. Set it on the machine of svc, never in a chat.'),
        tone: 'warning',
      })
      return undefined
    }
    return this.#ports.prompts.ask({ id: this.#newId(), text, options: [], isFree: true, yields: true }, signal)
  }

  /** Says of what may not have arrived, once: the key makes it one message, also after a restart. */
  tellDoubt(): void {
    const { platform, outbox, place, t } = this.#ports
    const [newest] = inDoubt(outbox(), { ...place(), platform }, ['uncertain']).filter(
      ({ key }) => !key.startsWith(DOUBT),
    )
    if (!newest) return
    const text = t('An earlier answer may not have arrived. /resend sends it again.')
    this.#post({ key: `${DOUBT}${newest.id}`, text })
  }

  /** Resolves when the files of the turn are in the outbox. */
  filesSettled(): Promise<void> {
    return this.#files.settled()
  }

  /** Says which files of a message were not taken: once, also after a crash. */
  tellRefused(trace: string, lines: readonly string[]): void {
    this.#post({ key: `refused:${trace}`, text: lines.map((line) => `📎 ${line}`).join('\n\n') })
  }

  /** Tells that a turn is still under way. */
  stillWorking(ms: number): void {
    const { t } = this.#ports
    const text = t('Still working: {time}', { time: duration(ms) })
    this.#files.carryOut([stillWorking(this.#state, text, this.#view)], this.#ports.place())
  }

  /** What was whole when svc stopped may not have reached the outbox; what has stays as it is. */
  #resume(turnId: string, seq: number): void {
    for (const event of this.#ports.earlier(turnId, seq)) this.#render(event)
  }

  #render(event: TurnEvent): void {
    const { state, steps } = render(this.#state, event, this.#view)
    this.#state = state
    // The place is read from what the chat answers now, so only when there is something to post.
    if (steps.length > 0) this.#files.carryOut(steps, this.#ports.place())
  }

  #newFiles(turnId: string): TurnFiles {
    const { t, log, outbox, readFile } = this.#ports
    return new TurnFiles({ t, log, outbox, read: readFile }, turnId)
  }

  /** The messages of the turn are done once its files are in the outbox. */
  #end(turnId: string, reason: TurnEndReason): void {
    if (this.#files.isBusy) void this.#files.settled().then(() => this.#ports.ended(turnId, reason))
    else this.#ports.ended(turnId, reason)
  }

  #post(message: Pick<OutboxPost, 'key' | 'text'>): void {
    const { replyTo: _, ...place } = this.#ports.place()
    this.#ports.outbox().post({ ...place, ...message })
  }

  #newId(): string {
    return shortId(this.#ports.newKey())
  }
}

/** What names a question within its buttons. */
export function shortId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 10)
}
