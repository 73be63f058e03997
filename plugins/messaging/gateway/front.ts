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
import { inDoubt } from './doubt.ts'
import { withoutPaths } from './paths.ts'
import { type ProgressSettings, TurnProgress } from './chat-renderer.ts'
import type { Prompt, Prompts } from './prompts.ts'
import { isSilent } from './silence.ts'
import { hasFiles, type TurnFilePorts, TurnFiles } from './turn-files.ts'

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
  display(): ProgressSettings | undefined
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
/** So much of a new text is worth an edit. */
const DRAFT_STEP = 24
/** The subject of an approval is shown in full, in several messages if it is long, up to this length. */
const MAX_ACTION = 50_000
const CURSOR = ' ▌'

/** Contract: `FrontEnd` of the SDK. */
export class ChatFront implements FrontEnd {
  readonly surface: string
  readonly commands = 'gateway'
  readonly #ports: FrontPorts
  #turnId = ''
  /** Messages of the turn so far, and the one that is being written. */
  #messages = 0
  #draft = ''
  #draftShown = 0
  #draftAt = 0
  readonly #progress: TurnProgress
  #files: TurnFiles

  constructor(ports: FrontPorts) {
    this.surface = ports.platform
    this.#ports = ports
    this.#progress = new TurnProgress({
      settings: () => ports.display(),
      canEdit: () => ports.draftEveryMs() !== undefined,
      post: (message) => this.#post(message),
    })
    this.#files = this.#newFiles('')
  }

  show(event: TurnEvent): void {
    this.#ports.moved()
    this.#progress.show(event)
    if (event.type === 'turn.start') {
      this.#begin(event.turnId)
      this.#ports.began(event.options?.key, event.turnId)
    } else if (event.type === 'turn.resume') {
      this.#ports.began(undefined, event.turnId)
      this.#resume(event.turnId, event.seq)
    } else if (event.type === 'message.delta') this.#grow(event.text)
    else if (event.type === 'message.complete') this.#complete(event.text)
    else if (event.type === 'turn.end') this.#end(event.turnId, event.reason)
    else this.#beside(event)
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
    const { tool } = this.#progress
    const doing = tool === undefined ? '' : ` (${tool})`
    const text = `${t('Still working: {time}', { time: duration(ms) })}${doing}`
    this.#post({ key: `working:${this.#turnId}`, text, ...this.#drafted() })
  }

  /** What was whole when svc stopped may not have reached the outbox; what has stays as it is. */
  #resume(turnId: string, seq: number): void {
    this.#begin(turnId)
    for (const event of this.#ports.earlier(turnId, seq)) {
      if (event.type === 'message.complete') this.#complete(event.text)
      else this.#files.add(event, this.#place())
    }
  }

  #begin(turnId: string): void {
    this.#turnId = turnId
    this.#messages = 0
    this.#progress.begin(turnId)
    this.#files = this.#newFiles(turnId)
    this.#clear()
  }

  #newFiles(turnId: string): TurnFiles {
    const { t, log, outbox, readFile } = this.#ports
    return new TurnFiles({ t, log, outbox, read: readFile }, turnId)
  }

  #grow(text: string): void {
    this.#draft += text
    const { now } = this.#ports
    const draftEveryMs = this.#ports.draftEveryMs()
    if (draftEveryMs === undefined) return
    if (this.#draft.length - this.#draftShown < DRAFT_STEP || now() - this.#draftAt < draftEveryMs) return
    if (!this.#draft.trim()) return
    this.#draftShown = this.#draft.length
    this.#draftAt = now()
    this.#post({ key: this.#key(), text: this.#draft + CURSOR, isDraft: true })
  }

  #complete(text: string): void {
    if (!isSilent(text)) {
      this.#post({ key: this.#key(), text })
      this.#messages++
      this.#files.release(this.#place())
    } else if (this.#draftShown > 0) this.#post({ key: this.#key(), text: this.#draft })
    this.#clear()
  }

  /** What was shown of a message that never became whole stays as it is, without the cursor. */
  #end(turnId: string, reason: TurnEndReason): void {
    if (this.#draft.trim()) this.#complete(this.#draft)
    this.#clear()
    this.#files.release(this.#place())
    // The messages of the turn are done once its files are in the outbox.
    if (this.#files.isBusy) void this.#files.settled().then(() => this.#ports.ended(turnId, reason))
    else this.#ports.ended(turnId, reason)
  }

  #beside(event: TurnEvent): void {
    const key = `${event.turnId}:${event.type}:${event.seq}`
    if (event.type === 'error') this.#post({ key, text: `⚠️ ${withoutPaths(event.message)}` })
    else if (event.type === 'notice' && !event.isPassing) this.#post({ key, text: `ℹ️ ${withoutPaths(event.text)}` })
    else if (hasFiles(event)) this.#files.add(event, this.#place())
  }

  /** Where nothing can be edited each version is a message, so it is a final one. */
  #drafted(): { readonly isDraft?: true } {
    return this.#ports.draftEveryMs() === undefined ? {} : { isDraft: true }
  }

  #clear(): void {
    this.#draft = ''
    this.#draftShown = 0
    this.#draftAt = this.#ports.now()
  }

  /** The same for the same message of the turn, even if the turn is resumed in another process. */
  #key(): string {
    return `${this.#turnId}:${this.#messages}`
  }

  #post(message: Pick<OutboxPost, 'key' | 'text' | 'isDraft'>): void {
    const isFirst = message.key === `${this.#turnId}:0`
    const { replyTo, ...place } = this.#ports.place()
    this.#ports.outbox().post({ ...place, ...(isFirst && replyTo !== undefined && { replyTo }), ...message })
  }

  #place(): Omit<OutboxPost, 'key' | 'text'> {
    const { replyTo: _, ...place } = this.#ports.place()
    return place
  }

  #newId(): string {
    return shortId(this.#ports.newKey())
  }
}

/** What names a question within its buttons. */
export function shortId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 10)
}
