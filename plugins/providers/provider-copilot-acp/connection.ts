/**
 * A connection with Copilot CLI (https://agentclientprotocol.com/protocol/v1/overview). svc offers it no files and no terminals, and
 * allows none of its own tools: what is to be done on this machine goes through the tools of svc, with their checks.
 */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  ClientConnection,
  ContentBlock,
  InitializeResponse,
  NewSessionResponse,
  PromptResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { Clock, SvcError } from 'svc/sdk'
import { waitAtMost, withDeadline } from 'svc/sdk/kit/async'
import { toStream } from './messages.ts'
import type { Deps } from './place.ts'
import { type Line, openLine } from './program.ts'

const START_MS = 30_000
const SESSION_MS = 60_000
const END_MS = 2000
/** A refused permission is told to it as that; see "Requesting Permission" of the protocol. */
const REFUSALS = ['reject_once', 'reject_always']

type Protocol = typeof import('./protocol.ts')

export class CopilotConnection {
  readonly #deps: Deps
  readonly #line: Line
  readonly #folder: string
  readonly #protocol: Protocol
  readonly #connection: ClientConnection
  readonly #listeners: Map<string, (update: SessionUpdate) => void> = new Map()
  #about: InitializeResponse | undefined
  #end: string | undefined

  private constructor(deps: Deps, protocol: Protocol, line: Line, folder: string) {
    this.#deps = deps
    this.#line = line
    this.#folder = folder
    this.#protocol = protocol
    const { client, methods } = protocol
    this.#connection = client({ name: 'svc' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.#listeners.get(params.sessionId)?.(params.update)
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        const { title } = params.toolCall
        deps.log.info('Copilot CLI may not use a tool of its own', { title })
        const refusal = params.options.find(({ kind }) => REFUSALS.includes(kind))
        return refusal
          ? { outcome: { outcome: 'selected', optionId: refusal.optionId } }
          : { outcome: { outcome: 'cancelled' } }
      })
      .connect(toStream(line, deps))
    void line.closed.then((errors) => {
      this.#end = errors
      this.#connection.close()
      void rm(folder, { recursive: true, force: true })
    })
  }

  /** Throws `COPILOT_MISSING`, `COPILOT_ADDRESS` and `COPILOT_CONNECTION`. */
  static async open(deps: Deps): Promise<CopilotConnection> {
    const protocol = await import('./protocol.ts')
    // An empty folder: its own tools that ask for no permission find nothing there.
    const folder = mkdtempSync(join(tmpdir(), 'svc-copilot-'))
    const line = await openLine(deps, folder).catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true })
      throw error
    })
    const opened = new CopilotConnection(deps, protocol, line, folder)
    try {
      await opened.#initialize()
      return opened
    } catch (error) {
      opened.close()
      throw error
    }
  }

  /** Undefined while it is open; the end of what the program wrote to standard error, which can be empty. */
  async end(): Promise<string | undefined> {
    // Its output ends before it does.
    if (this.#connection.signal.aborted) await waitAtMost(this.#deps.use(Clock), END_MS, this.#line.closed)
    return this.#connection.signal.aborted ? (this.#end ?? '') : undefined
  }

  /** Resolves when the program can be asked nothing more. */
  get closed(): Promise<unknown> {
    return this.#connection.closed
  }

  get readsImages(): boolean {
    return this.#about?.agentCapabilities?.promptCapabilities?.image === true
  }

  async newSession(signal?: AbortSignal): Promise<NewSessionResponse> {
    const { methods } = this.#protocol
    const params = { cwd: this.#folder, mcpServers: [] }
    return this.#within(SESSION_MS, 'a session', signal, () =>
      this.#connection.agent.request(methods.agent.session.new, params),
    )
  }

  /** A method of which the model of a session is chosen. */
  async choose(method: string, params: object): Promise<void> {
    await this.#within(SESSION_MS, 'the choice of a model', undefined, () =>
      this.#connection.agent.request(method, params),
    )
  }

  /** Resolves when the turn is over; the updates come before. An abort tells the program to stop. */
  async prompt(
    sessionId: string,
    prompt: ContentBlock[],
    { signal, onUpdate }: { readonly signal: AbortSignal; onUpdate(update: SessionUpdate): void },
  ): Promise<PromptResponse> {
    const { methods } = this.#protocol
    const { agent } = this.#connection
    const cancel = () => void agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {})
    this.#listeners.set(sessionId, onUpdate)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await agent.request(methods.agent.session.prompt, { sessionId, prompt })
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#listeners.delete(sessionId)
    }
  }

  /** Forgets a session, where the program can. */
  release(sessionId: string): void {
    if (!this.#about?.agentCapabilities?.sessionCapabilities?.close) return
    const { methods } = this.#protocol
    this.#connection.agent.request(methods.agent.session.close, { sessionId }).catch((error: unknown) => {
      this.#deps.log.debug('a session of Copilot CLI was not closed', { error })
    })
  }

  /** The code of an error that the program answered; undefined for other errors. */
  codeOf(error: unknown): number | undefined {
    return error instanceof this.#protocol.RequestError ? error.code : undefined
  }

  close(): void {
    this.#line.close()
  }

  async #initialize(): Promise<void> {
    const { methods, PROTOCOL_VERSION } = this.#protocol
    const about = await this.#within(START_MS, 'its start', undefined, () =>
      this.#connection.agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: 'svc', title: 'svc', version: '0.2.0' },
      }),
    )
    if (about.protocolVersion !== PROTOCOL_VERSION) {
      const message = `Copilot CLI speaks version ${about.protocolVersion} of the Agent Client Protocol, svc ${PROTOCOL_VERSION}. Update the older of both.`
      throw new SvcError('COPILOT_CONNECTION', message)
    }
    this.#about = about
  }

  async #within<T>(ms: number, what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const late = () =>
      new SvcError('COPILOT_CONNECTION', `Copilot CLI did not answer within ${ms / 1000} s: ${what}. Try again.`)
    try {
      return await withDeadline(this.#deps.use(Clock), ms, work, late, { signal })
    } catch (error) {
      const end = await this.end()
      if (end === undefined) throw error
      throw new SvcError('COPILOT_CONNECTION', `Copilot CLI has ended${end === '' ? '.' : `: ${end}`}`, {
        cause: error,
      })
    }
  }
}
