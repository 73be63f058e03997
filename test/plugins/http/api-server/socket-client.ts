/** A client of responses over a WebSocket that sees every message. */
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { type ApiDesk, KEY, type Reply } from './desk.ts'

export interface SocketClient {
  /** All messages so far. */
  readonly messages: readonly Reply[]
  send(event: unknown): void
  /** Sends it and resolves with the events of its response: up to its end, or to the error. */
  create(body: object): Promise<readonly Reply[]>
  close(): void
  /** Resolves with the code of the farewell. */
  readonly closed: Promise<number>
}

const ends = ['response.completed', 'response.incomplete', 'response.failed', 'error']

/** Resolves when the connection is open. */
export async function connectTo({ origin }: Pick<ApiDesk, 'origin'>, headers: object = {}): Promise<SocketClient> {
  const address = `${origin.replace('http', 'ws')}/v1/responses`
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${KEY}`, ...headers } })
  onTestFinished(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const messages: Reply[] = []
  let arrived = () => {}
  let arrival = Promise.resolve()
  const renew = () => {
    arrived()
    arrival = new Promise((resolve) => {
      arrived = resolve
    })
  }
  renew()
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)))
    renew()
  })
  const send = (event: unknown) => socket.send(typeof event === 'string' ? event : JSON.stringify(event))
  return {
    messages,
    closed,
    send,
    close: () => socket.close(),
    async create(body) {
      const from = messages.length
      send({ type: 'response.create', model: 'svc', ...body })
      for (;;) {
        const end = messages.findIndex(({ type }, at) => at >= from && ends.includes(type))
        if (end >= 0) return messages.slice(from, end + 1)
        await arrival
      }
    },
  }
}
