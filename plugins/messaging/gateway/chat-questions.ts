/** Questions that wait in a chat: shown with buttons or as text, answered by either. */
import type { Dispose } from 'svc/sdk'
import type { DirectOutboxMessage, MessageButton, Outbox } from 'svc/sdk/platform'

/** A question is cut into no more parts than this. */
const MAX_PARTS = 1000

/** A question. */
export interface Prompt {
  /** The same for the same question, also after a restart. At most 16 letters, digits and hyphens. */
  readonly id: string
  /** Markdown. */
  readonly text: string
  readonly options: readonly PromptOption[]
  /** Any words are an answer. */
  readonly isFree?: boolean
  /** The slash command that one must be allowed to use, to answer. */
  readonly right?: string
  /** It is withdrawn at a time, and says so then. */
  readonly isTimed?: boolean
  /** An optional question: any other message ends it, and so does its deadline. */
  readonly yields?: true
}

/** One answer that can be chosen. */
export interface PromptOption {
  readonly id: string
  readonly label: string
  /** Words for it, in addition to its number. */
  readonly words?: readonly string[]
  readonly style?: MessageButton['style']
}

/** How a question is shown. */
export type ShowPrompt = (post: Pick<DirectOutboxMessage, 'key' | 'text' | 'buttons'>) => void

/** When a message of the outbox stood in the chat, whole and as it is now; undefined while it does not. */
export type ShownAt = (key: string) => number | undefined

/** The input of a person: a text or a button. */
export interface Written {
  readonly press?: string
  readonly text: string
  /** When it was written, by the clock of the platform. */
  readonly writtenAt?: number
  /** When it came in, by our clock. */
  readonly receivedAt: number
}

/** How an optional question ends. */
export interface Yielding {
  /** Calls `end` when its time is over. */
  after(end: () => void): Dispose
  /** What is said then. */
  over(): string
}

interface Waiting {
  readonly prompt: Prompt
  resolve(answer: string | undefined, isOver?: boolean): void
}

export class Prompts {
  readonly #show: ShowPrompt
  readonly #buttons: number
  readonly #shownAt: ShownAt
  readonly #yielding: Yielding | undefined
  readonly #waiting: Map<string, Waiting> = new Map()

  /** `buttons` is how many the platform can show. */
  constructor(
    show: ShowPrompt,
    { buttons, shownAt, yielding }: { buttons: number; shownAt: ShownAt; yielding?: Yielding },
  ) {
    this.#show = show
    this.#yielding = yielding
    this.#buttons = buttons
    this.#shownAt = shownAt
  }

  /** The `id` of the option, or the words, that answer it; undefined when the signal aborts. */
  ask(prompt: Prompt, signal: AbortSignal): Promise<string | undefined> {
    const hasButtons = prompt.options.length > 0 && prompt.options.length <= this.#buttons
    const buttons = prompt.options.map(({ id, label, style }) => ({
      value: `${prompt.id}:${id}`,
      label,
      ...(style && { style }),
    }))
    const text = hasButtons ? prompt.text : `${prompt.text}${formatOptions(prompt)}`
    this.#show({ key: promptKey(prompt.id), text, ...(hasButtons && { buttons }) })
    return new Promise((resolve) => {
      const end = (answer: string | undefined, isOver = false) => {
        if (this.#waiting.get(prompt.id) !== waiting) return
        this.#waiting.delete(prompt.id)
        signal.removeEventListener('abort', aborted)
        void stopTimer?.()
        const over = isOver ? this.#yielding?.over() : undefined
        const label = prompt.options.find(({ id }) => id === answer)?.label
        if (hasButtons) this.#show({ key: promptKey(prompt.id), text: `${prompt.text}\n\n${label ?? over ?? '—'}` })
        else if (over) this.#show({ key: `${promptKey(prompt.id)}:over`, text: over })
        resolve(answer)
      }
      const aborted = () => end(undefined, prompt.isTimed)
      const waiting: Waiting = { prompt, resolve: end }
      this.#waiting.set(prompt.id, waiting)
      const hasTimer = prompt.yields && !prompt.isTimed
      const stopTimer = hasTimer ? this.#yielding?.after(() => end(undefined, true)) : undefined
      if (signal.aborted) end(undefined)
      else signal.addEventListener('abort', aborted, { once: true })
    })
  }

  /** Whether a button or some words answered something. `may` says whether the sender has the right to. */
  take(written: Written, may: (right: string) => boolean): TakenPrompt {
    const { press } = written
    const found = press === undefined ? this.#byWords(written) : this.#byButton(press)
    if (!found) return press === undefined ? this.#unread(written) : 'gone'
    const { waiting, answer } = found
    if (waiting.prompt.right && !may(waiting.prompt.right)) return 'forbidden'
    waiting.resolve(answer)
    return 'answered'
  }

  /** Whether a question waits for an answer. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Whether the newest question need not be answered. */
  get yields(): boolean {
    return [...this.#waiting.values()].at(-1)?.prompt.yields === true
  }

  /** Something else was said: what need not be answered is over. */
  supersede(): void {
    for (const { prompt, resolve } of [...this.#waiting.values()]) if (prompt.yields) resolve(undefined, true)
  }

  /** No answer will come any more. */
  close(): void {
    for (const { resolve } of [...this.#waiting.values()]) resolve(undefined)
  }

  #byButton(press: string): { waiting: Waiting; answer: string } | undefined {
    const at = press.indexOf(':')
    const waiting = this.#waiting.get(press.slice(0, at))
    const answer = press.slice(at + 1)
    return waiting?.prompt.options.some(({ id }) => id === answer) ? { waiting, answer } : undefined
  }

  /** Whether the words were written after the question stood in the chat: only then can they answer it. */
  wasShown(id: string, written: Written): boolean {
    const shownAt = this.#shownAt(promptKey(id))
    return shownAt !== undefined && isAfter(written, shownAt)
  }

  /** The newest question that its writer can have read is the one that is answered. */
  #byWords(written: Written): { waiting: Waiting; answer: string } | undefined {
    const waiting = [...this.#waiting.values()].findLast(({ prompt }) => this.wasShown(prompt.id, written))
    return waiting && readAnswer(waiting, written)
  }

  /** `early`: it would answer a question that was shown meanwhile, and is older than that. */
  #unread(written: Written): TakenPrompt {
    const newest = [...this.#waiting.values()].at(-1)
    const isShown = newest && !newest.prompt.isFree && this.#shownAt(promptKey(newest.prompt.id)) !== undefined
    return isShown && !this.wasShown(newest.prompt.id, written) && readAnswer(newest, written) ? 'early' : 'none'
  }
}

/** The key of the message that shows a question. */
export function promptKey(id: string): string {
  return `prompt:${id}`
}

/** Strictly later, since many platforms tell whole seconds; without a time of the platform the order of arrival counts. */
export function isAfter({ writtenAt, receivedAt }: Written, shownAt: number): boolean {
  return writtenAt === undefined ? receivedAt >= shownAt : writtenAt > shownAt
}

function readAnswer(waiting: Waiting, { text }: Written): { waiting: Waiting; answer: string } | undefined {
  if (text.startsWith('/')) return undefined
  const said = plainWords(text)
  const { options, isFree } = waiting.prompt
  const option = options.find(
    ({ label, words = [] }, at) => said === String(at + 1) || said === label.toLowerCase() || words.includes(said),
  )
  if (option) return { waiting, answer: option.id }
  return isFree && said !== '' ? { waiting, answer: text.trim() } : undefined
}

/**
 * The outcome of an input. `gone`: the question is no longer pending; `early`: the input is older
 * than the question that they would answer, so they are a message.
 */
export type TakenPrompt = 'answered' | 'forbidden' | 'gone' | 'early' | 'none'

/** A short answer, as it is compared. */
export function plainWords(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
}

function formatOptions({ options }: Prompt): string {
  if (options.length === 0) return ''
  return `\n\n${options.map(({ label }, at) => `${at + 1}. ${label}`).join('\n')}`
}

/** What is visible in a chat, by the receipts of the outbox: when the last part of a message was taken by its platform; undefined while a part is not, or changes. */
export function shownAt(outbox: Outbox, key: string): number | undefined {
  return findLastTime(outbox.deliveries({ key, limit: MAX_PARTS }).map(({ deliveredAt }) => deliveredAt))
}

/** The same for what it said first, also while it is edited: a question that was answered says so in its place. */
export function firstShownAt(outbox: Outbox, key: string): number | undefined {
  return findLastTime(outbox.deliveries({ key, limit: MAX_PARTS }).map(({ firstDeliveredAt }) => firstDeliveredAt))
}

function findLastTime(times: readonly (number | undefined)[]): number | undefined {
  return times.length > 0 && times.every((time) => time !== undefined) ? Math.max(...times) : undefined
}
