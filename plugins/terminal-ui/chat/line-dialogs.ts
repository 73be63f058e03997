/** Questions in plain lines: a text, and a line that answers it. */
import type { ChoiceDialog, Clock, UserQuestion } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import type { DialogOptions, FrontEndDialogs, FrontEndHandlers } from 'svc/sdk/sessions'
import { formatDuration } from 'svc/sdk/terminal'
import type { PromptDeps } from './terminal-approvals.ts'

/** Ends a text of several lines. */
const END = '.'

export interface LineDialogsDeps extends PromptDeps {
  readonly clock: () => Clock
  /** Writes whole lines above the one that is typed. */
  print(text: string): void
}

/** A question that is withdrawn says so: what was typed before does not answer it. */
export class LineDialogs implements FrontEndDialogs {
  readonly #deps: LineDialogsDeps

  constructor(deps: LineDialogsDeps) {
    this.#deps = deps
  }

  readonly answer: NonNullable<FrontEndHandlers['answer']> = (question, signal) =>
    askQuestion(this.#deps, question, signal)

  async confirm(question: string, signal: AbortSignal, options?: DialogOptions): Promise<boolean | undefined> {
    const line = await this.#line(`${safePiece(question)} ${this.#limit(options)}[y/N] `, signal)
    return line === undefined && signal.aborted ? undefined : /^\s*y(es)?\s*$/i.test(line ?? '')
  }

  async choose(
    { title, items, current }: ChoiceDialog,
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    const { t, print } = this.#deps
    const rows = items.map(({ id, label, detail }, at) => {
      return `${id === current ? '*' : ' '} ${at + 1}  ${label}${detail ? `  ${detail}` : ''}`
    })
    print([safePiece(title), ...rows.map((row) => safePiece(row).replace(/\s*\n\s*/g, ' '))].join('\n'))
    const prompt = `${this.#limit(options)}${t('A number, or Enter to leave it: ')}`
    const line = (await this.#line(prompt, signal))?.trim()
    return /^\d+$/.test(line ?? '') ? items[Number(line) - 1]?.id : undefined
  }

  ask(
    { text, secret }: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return this.#line(`${safePiece(text)} ${this.#limit(options)}`, signal, secret)
  }

  /** Shows the text and reads another one; an empty first line keeps it as it is. */
  async edit(
    { title, text }: { readonly title: string; readonly text: string },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    const { t, print } = this.#deps
    const shown = text === '' ? '' : `\n${safePiece(text)}`
    const how =
      text === ''
        ? t('Type the text. A line with a single dot ends it.')
        : t('Type the new text. A line with a single dot ends it; Enter alone keeps the text.')
    print(`${safePiece(title)}${shown}\n${this.#limit(options)}${how}`)
    const lines: string[] = []
    for (;;) {
      const line = await this.#line('| ', signal)
      if (line === undefined) return undefined
      if (line === '' && lines.length === 0 && text !== '') return text
      if (line === END) return lines.join('\n')
      lines.push(line)
    }
  }

  #limit({ expiresAt }: DialogOptions = {}): string {
    if (expiresAt === undefined) return ''
    const time = formatDuration(Math.max(0, expiresAt - this.#deps.clock().now()))
    return `(${this.#deps.t('withdrawn in {time}', { time })}) `
  }

  async #line(prompt: string, signal: AbortSignal, isSecret = false): Promise<string | undefined> {
    const { lines, io, t } = this.#deps
    const line = await lines.ask(prompt, signal, isSecret ? { secret: true } : {})
    if (signal.aborted) io.err(`\n${t('No answer is needed any more.')}\n`)
    return signal.aborted ? undefined : line
  }
}

/** Enter alone asks again; the end of input is no answer. */
async function askQuestion(
  { lines, io, t }: PromptDeps,
  { text, choices }: UserQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const offered = choices.map((choice, at) => `  ${at + 1}  ${safePiece(choice).replace(/\s+/g, ' ')}\n`).join('')
  io.err(`\n${safePiece(text)}\n${offered}`)
  const prompt = t(choices.length > 0 ? 'A number, or your own words: ' : 'Your answer: ')
  while (!signal.aborted) {
    const line = await lines.ask(prompt, signal)
    if (line === undefined) break
    if (line.trim() !== '') return line.trim()
  }
  if (signal.aborted) io.err(`\n${t('No answer is needed any more.')}\n`)
  return undefined
}
