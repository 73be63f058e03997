/** Asks the person at this terminal whether a tool may do what it is about to do. */
import {
  type ApprovalChoice,
  type ApprovalRequest,
  Approvals,
  type CliAskOptions,
  type CliContext,
  type Dispose,
  type PluginContext,
  type Translate,
} from 'svc/sdk'
import { escapeUnseen } from 'svc/sdk/kit/terminal'

/** What may be typed instead of the whole word, in every language. */
const KEYS: Readonly<Record<ApprovalChoice, string>> = {
  once: 'o',
  session: 's',
  project: 'p',
  always: 'a',
  deny: 'd',
}

/** Where a person is asked, and in which language. */
export interface PromptDeps {
  readonly lines: LineReader
  readonly io: CliContext
  readonly t: Translate
}

/** Reads lines one at a time. A question interrupts the ordinary prompt, so that neither gets a line of the other. */
export class LineReader {
  readonly #io: CliContext
  #interrupt = new AbortController()
  #reading: Promise<unknown> = Promise.resolve()

  constructor(io: CliContext) {
    this.#io = io
  }

  /** The ordinary prompt: it also takes what was pasted or typed ahead, and is shown again after a question. */
  async prompt(text: string): Promise<string | undefined> {
    for (;;) {
      const { signal } = this.#interrupt
      const line = await this.#next(() => this.#io.ask(text, { typedAhead: true, signal }))
      if (line !== undefined || !signal.aborted) return line
    }
  }

  /** A question: only a line that is typed after it was shown answers it. */
  async ask(
    text: string,
    signal?: AbortSignal,
    options: Pick<CliAskOptions, 'secret'> = {},
  ): Promise<string | undefined> {
    this.#interrupt.abort()
    this.#interrupt = new AbortController()
    const asked = this.#next(() =>
      signal?.aborted ? undefined : this.#io.ask(text, { ...options, ...(signal && { signal }) }),
    )
    return signal ? Promise.race([asked, waitForAbort(signal)]) : asked
  }

  #next(read: () => Promise<string | undefined> | undefined): Promise<string | undefined> {
    const line = this.#reading.then(read)
    this.#reading = line.catch(() => {})
    return line
  }
}

/** Offers this terminal for sessions that `reaches` names, or does without questions. Undone by the returned function. */
export function connectTerminal(
  ctx: PluginContext<undefined>,
  deps: PromptDeps,
  { yolo, reaches }: { readonly yolo: boolean; readonly reaches: (sessionId: string) => boolean },
): Dispose {
  const approvals = ctx.find(Approvals)
  if (!approvals) return () => {}
  if (yolo) return approvals.askNothing()
  if (!deps.io.interactive) return () => {}
  return approvals.connect({
    name: 'terminal',
    waits: true,
    reaches,
    ask: (request, signal) => askApproval(deps, request, signal),
  })
}

/** Shows a request and reads what is chosen; undefined without an answer. */
export async function askApproval(
  { lines, io, t }: PromptDeps,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalChoice | undefined> {
  const title = t('{tool} wants to run:', { tool: escapeUnseen(request.tool) })
  const why = t('It {reason}.', { reason: escapeUnseen(request.reason) })
  io.err(`\n${title}\n${indentLines(request.action)}\n${why}\n`)
  if (request.covers !== undefined)
    io.err(`${t('An answer for longer than once covers {covers}.', { covers: escapeUnseen(request.covers) })}\n`)
  const labels = {
    once: t('once'),
    session: t('for this session'),
    project: t('for this project'),
    always: t('always'),
    deny: t('deny'),
  }
  const choices = request.choices.map((choice) => `${KEYS[choice]} = ${labels[choice]}`).join(', ')
  while (!signal.aborted) {
    const line = await lines.ask(t('Allow? {choices}: ', { choices }), signal)
    if (line === undefined) break
    const typed = line.trim().toLowerCase()
    const choice = request.choices.find((each) => typed && each.startsWith(typed))
    if (choice) return choice
    if (typed === 'n' || typed === 'no') return 'deny'
  }
  if (signal.aborted) io.err(`\n${t('No answer is needed any more.')}\n`)
  return undefined
}

function indentLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${escapeUnseen(line)}`)
    .join('\n')
}

function waitForAbort(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
