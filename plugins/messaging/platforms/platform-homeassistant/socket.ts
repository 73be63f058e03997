/** A session of the WebSocket API: https://developers.home-assistant.io/docs/api/websocket. */
import { type Clock, tryParseJson } from 'svc/sdk'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { type Account, unauthorized, unreachable } from './api.ts'

/** What the server says. */
const said = z.object({
  type: z.string(),
  id: z.number().optional(),
  success: z.boolean().optional(),
  event: z.unknown().optional(),
})

const OPEN_MS = 15_000
const PONG_MS = 10_000
const MAX_BYTES = 16_777_216

/** What a session is opened with. */
export interface SessionDeps {
  readonly account: Account
  readonly clock: Pick<Clock, 'after'>
  /** Something was heard. */
  alive(): void
  event(event: unknown): void
  /** The connection was lost; called once, and only after it was open. */
  lost(reason: string): void
}

/** Signs in and passes on every state change. */
export class HomeSession {
  readonly #socket: WebSocket
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting: Map<number, (isGood: boolean) => void> = new Map()
  #isOpen = true
  #ids = 0

  private constructor(socket: WebSocket, deps: SessionDeps) {
    this.#socket = socket
    this.#clock = deps.clock
    socket.on('message', (data) => {
      deps.alive()
      const message = parseFrame(data)
      if (message?.type === 'event') deps.event(message.event)
      if (message?.id !== undefined) this.#settle(message.id, message.type === 'pong' || message.success === true)
    })
    socket.on('close', () => {
      const wasOpen = this.#isOpen
      this.#end()
      if (wasOpen) deps.lost('Home Assistant closed the connection.')
    })
  }

  /** Resolves once changes flow. */
  static async open(deps: SessionDeps): Promise<HomeSession> {
    const socket = await openSignedIn(deps)
    const session = new HomeSession(socket, deps)
    const isSubscribed = await session.#ask({ type: 'subscribe_events', event_type: 'state_changed' }, OPEN_MS)
    if (isSubscribed) return session
    session.close()
    throw unreachable('Home Assistant does not tell what changes: its user has to be an administrator.')
  }

  /** A round trip. */
  async ping(): Promise<boolean> {
    return this.#isOpen && this.#ask({ type: 'ping' }, PONG_MS)
  }

  close(): void {
    this.#end()
    this.#socket.terminate()
  }

  async #ask(message: object, limitMs: number): Promise<boolean> {
    const id = ++this.#ids
    const answer = new Promise<boolean>((resolve) => this.#waiting.set(id, resolve))
    const cancel = this.#clock.after(limitMs, () => this.#settle(id, false))
    this.#socket.send(JSON.stringify({ id, ...message }))
    return answer.finally(cancel)
  }

  #settle(id: number, isGood: boolean): void {
    this.#waiting.get(id)?.(isGood)
    this.#waiting.delete(id)
  }

  #end(): void {
    this.#isOpen = false
    for (const id of [...this.#waiting.keys()]) this.#settle(id, false)
  }
}

/** A socket whose authentication phase is over. */
async function openSignedIn({ account, clock }: SessionDeps): Promise<WebSocket> {
  const { WebSocket: Socket } = await import('ws')
  const address = `${account.url.replace(/^http/i, 'ws')}/api/websocket`
  return new Promise((resolve, reject) => {
    const socket = openSocket(Socket, address)
    const fail = (error: Error) => {
      cancel()
      reject(error)
      socket.terminate()
    }
    const cancel = clock.after(OPEN_MS, () => fail(unreachable('Home Assistant does not answer.')))
    const hear = (data: unknown) => {
      const message = parseFrame(data)
      if (message?.type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: account.token }))
      else if (message?.type === 'auth_invalid') fail(unauthorized())
      else if (message?.type === 'auth_ok') {
        cancel()
        socket.off('message', hear).off('close', gone)
        resolve(socket)
      } else fail(unreachable('What answers does not speak as Home Assistant does.'))
    }
    const gone = () => fail(unreachable('Home Assistant closed the connection.'))
    // An error is followed by `close`, which is handled as well; after that no call waits.
    socket.on('error', (cause) => fail(unreachable(`Home Assistant cannot be reached: ${cause.message}.`, cause)))
    socket.on('message', hear).on('close', gone)
  })
}

function openSocket(Socket: typeof WebSocket, address: string): WebSocket {
  try {
    return new Socket(address, { maxPayload: MAX_BYTES, handshakeTimeout: OPEN_MS, perMessageDeflate: false })
  } catch (cause) {
    throw unreachable(`"${address}" is no address.`, cause)
  }
}

function parseFrame(data: unknown): z.infer<typeof said> | undefined {
  // Non-JSON frames are ignored.
  return said.safeParse(tryParseJson(String(data))?.value).data
}
