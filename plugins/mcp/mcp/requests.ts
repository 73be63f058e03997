/**
 * What a server asks of svc while one of its tools runs: an answer of a model, an answer of the person. Outside of a call there is
 * no conversation that it could belong to, and no one who pays for it: it is refused.
 */
import type { Clock, Message, ToolContext } from 'svc/sdk'
import { SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { AuxiliaryRequest, AuxiliaryResult } from 'svc/sdk/provider'
import { markUntrusted } from 'svc/sdk/safety'
import type { ServerSettings } from './config.ts'
import { askForm, shown } from './form.ts'
import type { ElicitAnswer, ElicitQuestion, SampleAnswer, SampleRequest } from './peer.ts'

const MINUTE_MS = 60_000
const MAX_TEXT = 200_000
const MAX_ROOTS = 16

export interface RequestDeps {
  readonly clock: Clock
  askModel(request: AuxiliaryRequest): Promise<AuxiliaryResult>
}

/** The calls of one server that run, and what was agreed to in their conversations. */
export class ServerRequests {
  readonly #server: string
  readonly #settings: ServerSettings
  readonly #deps: RequestDeps
  readonly #turns: ToolContext[] = []
  readonly #agreed = new Map<string, Promise<boolean>>()
  /** Folders of conversations that used the server. */
  readonly #roots = new Set<string>()
  #asked: number[] = []

  constructor(server: string, settings: ServerSettings, deps: RequestDeps) {
    this.#server = server
    this.#settings = settings
    this.#deps = deps
  }

  get roots(): readonly string[] {
    return [...this.#roots]
  }

  /** Whether the folder is new to the server. */
  addRoot(folder: string): boolean {
    if (this.#roots.has(folder) || this.#roots.size >= MAX_ROOTS) return false
    this.#roots.add(folder)
    return true
  }

  /** Runs a call, to which requests of the server belong meanwhile. */
  async during<T>(turn: ToolContext, work: () => Promise<T>): Promise<T> {
    this.#turns.push(turn)
    try {
      return await work()
    } finally {
      this.#turns.splice(this.#turns.indexOf(turn), 1)
    }
  }

  /** An answer of the auxiliary model `mcp`. Throws a sentence for the server. */
  async sample(request: SampleRequest, signal: AbortSignal): Promise<SampleAnswer> {
    const { enabled, model, provider, max_tokens_cap, timeout, max_rpm } = this.#settings.sampling
    const turn = this.#turns.at(-1)
    if (!enabled || !turn) throw refusal('svc answers such requests only while it waits for a tool of the server')
    const now = this.#deps.clock.monotonic()
    this.#asked = this.#asked.filter((at) => at > now - MINUTE_MS)
    if (this.#asked.length >= max_rpm) throw refusal(`svc answers ${max_rpm} such requests a minute`)
    this.#asked.push(now)
    if (!(await this.#agree(turn))) throw refusal('the person did not agree that the server asks a model')
    const answer = await withDeadline(
      this.#deps.clock,
      timeout * 1000,
      (limit) =>
        this.#deps.askModel({
          slot: 'mcp',
          ...(model !== '' && { prefer: { model, ...(provider !== 'auto' && { provider }) } }),
          messages: toMessages(this.#server, request),
          maxOutputTokens: Math.min(request.maxTokens ?? max_tokens_cap, max_tokens_cap),
          ...(request.temperature !== undefined && { temperature: request.temperature }),
          signal: limit,
          sessionId: turn.sessionId,
          turnId: turn.turnId,
        }),
      () => refusal(`no model answered within ${timeout} s`),
      { signal: AbortSignal.any([signal, turn.signal]) },
    )
    return {
      role: 'assistant',
      model: answer.model,
      content: { type: 'text', text: answer.text },
      stopReason: 'endTurn',
    }
  }

  /** Asked once for each conversation; where no person can be reached the answer is no. */
  #agree(turn: ToolContext): Promise<boolean> {
    if (!this.#settings.sampling.ask) return Promise.resolve(true)
    const known = this.#agreed.get(turn.sessionId)
    if (known) return known
    const question = `The MCP server ${this.#server} wants to ask a model, which may cost money. May it, in this conversation?`
    const asked = turn.person.confirm(question, { signal: turn.signal }).then((answer) => answer === true)
    this.#agreed.set(turn.sessionId, asked)
    return asked
  }

  /** Asks the person each field of a form, or whether to open an address. */
  async elicit(question: ElicitQuestion, signal: AbortSignal): Promise<ElicitAnswer> {
    const turn = this.#turns.at(-1)
    const { enabled, timeout } = this.#settings.elicitation
    if (!enabled || !turn) throw refusal('svc asks the person only while it waits for a tool of the server')
    const options = { timeoutMs: timeout * 1000, signal: AbortSignal.any([signal, turn.signal]) }
    const from = `The MCP server ${this.#server} asks: ${shown(question.message)}`
    if (question.mode === 'url') {
      const { url = '' } = question
      if (!/^https?:\/\//i.test(url)) return { action: 'decline' }
      const answer = await turn.person.confirm(
        `${from}\nOpen this address in your browser, then answer yes: ${shown(url)}`,
        options,
      )
      return { action: answer === true ? 'accept' : answer === false ? 'decline' : 'cancel' }
    }
    return askForm(turn.person, from, question, options)
  }
}

/** The texts are the server's: none of them becomes a system message. */
function toMessages(server: string, { messages, systemPrompt }: SampleRequest): Message[] {
  const instruction = systemPrompt ? `${systemPrompt}\n\n` : ''
  const texts = messages.map(({ role, content }) => ({ role, text: toText(content).slice(0, MAX_TEXT) }))
  return texts.map(({ role, text }, at) =>
    role === 'assistant'
      ? { role: 'assistant' as const, text }
      : {
          role: 'user' as const,
          text: markUntrusted(`${at === 0 ? instruction : ''}${text}`, `request of the MCP server ${server}`),
        },
  )
}

function toText(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks
    .map((block: { readonly type?: string; readonly text?: string }) =>
      block?.type === 'text' ? (block.text ?? '') : `[${block?.type}]`,
    )
    .join('\n')
}

const refusal = (why: string) => new SvcError('MCP_CALL', `Refused: ${why}.`)
