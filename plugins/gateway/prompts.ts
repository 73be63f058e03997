/** Questions that wait in a chat: shown with buttons or as text, answered by either. */
import type { Button, OutboxPost } from 'svc/sdk'

/** A question. */
export interface Prompt {
  /** The same for the same question, also after a restart. At most 16 letters, digits and hyphens. */
  readonly id: string
  /** Markdown. */
  readonly text: string
  readonly options: readonly PromptOption[]
  /** Any words are an answer. */
  readonly isFree?: boolean
  /** What one must be allowed to do, to answer. */
  readonly right?: 'approve'
}

/** One answer that can be chosen. */
export interface PromptOption {
  readonly id: string
  readonly label: string
  /** Words that mean it, besides its number. */
  readonly words?: readonly string[]
  readonly style?: Button['style']
}

/** How a question is shown. */
export type ShowPrompt = (post: Pick<OutboxPost, 'key' | 'text' | 'buttons'>) => void

interface Waiting {
  readonly prompt: Prompt
  resolve(answer: string | undefined): void
}

export class Prompts {
  readonly #show: ShowPrompt
  readonly #buttons: number
  readonly #waiting: Map<string, Waiting> = new Map()

  /** `buttons` is how many the platform can show. */
  constructor(show: ShowPrompt, buttons: number) {
    this.#show = show
    this.#buttons = buttons
  }

  /** The `id` of the option, or the words, that answer it; undefined when the signal aborts. */
  ask(prompt: Prompt, signal: AbortSignal): Promise<string | undefined> {
    const hasButtons = prompt.options.length > 0 && prompt.options.length <= this.#buttons
    const buttons = prompt.options.map(({ id, label, style }) => ({
      value: `${prompt.id}:${id}`,
      label,
      ...(style && { style }),
    }))
    const text = hasButtons ? prompt.text : `${prompt.text}${listed(prompt)}`
    this.#show({ key: `prompt:${prompt.id}`, text, ...(hasButtons && { buttons }) })
    return new Promise((resolve) => {
      const end = (answer: string | undefined) => {
        if (this.#waiting.get(prompt.id) !== waiting) return
        this.#waiting.delete(prompt.id)
        signal.removeEventListener('abort', aborted)
        const label = prompt.options.find(({ id }) => id === answer)?.label
        if (hasButtons) this.#show({ key: `prompt:${prompt.id}`, text: `${prompt.text}\n\n${label ?? '—'}` })
        resolve(answer)
      }
      const aborted = () => end(undefined)
      const waiting: Waiting = { prompt, resolve: end }
      this.#waiting.set(prompt.id, waiting)
      if (signal.aborted) end(undefined)
      else signal.addEventListener('abort', aborted, { once: true })
    })
  }

  /** Whether a button or some words answered something. `may` says whether the sender has the right to. */
  take(
    { press, text }: { readonly press?: string; readonly text: string },
    may: (right: 'approve') => boolean,
  ): TakenPrompt {
    const found = press === undefined ? this.#byWords(text) : this.#byButton(press)
    if (!found) return press === undefined ? 'none' : 'gone'
    const { waiting, answer } = found
    if (waiting.prompt.right && !may(waiting.prompt.right)) return 'forbidden'
    waiting.resolve(answer)
    return 'answered'
  }

  /** Nobody will answer any more. */
  close(): void {
    for (const { resolve } of [...this.#waiting.values()]) resolve(undefined)
  }

  #byButton(press: string): { waiting: Waiting; answer: string } | undefined {
    const at = press.indexOf(':')
    const waiting = this.#waiting.get(press.slice(0, at))
    const answer = press.slice(at + 1)
    return waiting?.prompt.options.some(({ id }) => id === answer) ? { waiting, answer } : undefined
  }

  /** The newest question is the one that is answered. */
  #byWords(text: string): { waiting: Waiting; answer: string } | undefined {
    const waiting = [...this.#waiting.values()].at(-1)
    if (!waiting || text.startsWith('/')) return undefined
    const said = plainWords(text)
    const { options, isFree } = waiting.prompt
    const option = options.find(
      ({ label, words = [] }, at) => said === String(at + 1) || said === label.toLowerCase() || words.includes(said),
    )
    if (option) return { waiting, answer: option.id }
    return isFree && said !== '' ? { waiting, answer: text.trim() } : undefined
  }
}

/** What came of what somebody wrote or pressed. `gone`: the question does not wait any more. */
export type TakenPrompt = 'answered' | 'forbidden' | 'gone' | 'none'

/** A short answer, as it is compared. */
export function plainWords(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
}

function listed({ options }: Prompt): string {
  if (options.length === 0) return ''
  return `\n\n${options.map(({ label }, at) => `${at + 1}. ${label}`).join('\n')}`
}
