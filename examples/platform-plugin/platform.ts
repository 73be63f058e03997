/** A chat platform: lines of text over TCP on loopback. Each connection is a chat with one person. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { SvcError } from 'svc/sdk'
import type { GatewayConnection, OutboundMessage, Platform, PlatformLimits, SendReceipt } from 'svc/sdk/platform'

export class TcpChat implements Platform {
  readonly name = 'tcp'
  readonly label = 'TCP chat'
  readonly limits: PlatformLimits = { maxTextLength: 4000, idempotency: 'none' }
  #port: number
  #newId: () => string
  #server: Server | undefined
  #chats: Map<string, Socket> = new Map()

  /** `newId` names chats and messages; an id is never used again, so no one inherits the rights of someone else. */
  constructor(port: number, newId: () => string) {
    this.#port = port
    this.#newId = newId
  }

  /** The port it listens on; 0 when it does not. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | undefined)?.port ?? 0
  }

  async connect(link: GatewayConnection): Promise<void> {
    const server = createServer((socket) => void this.#talk(socket, link))
    try {
      await once(server.listen(this.#port, '127.0.0.1'), 'listening')
    } catch (cause) {
      const advice = `Port ${this.#port} cannot be opened. Set platforms.tcp.port in config.yaml to another one.`
      throw new SvcError('TCP_PORT_TAKEN', advice, { cause })
    }
    this.#server = server.on('error', (error) => link.lost(error.message))
    link.signal.addEventListener('abort', () => void this.close(), { once: true })
    if (link.signal.aborted) await this.close()
  }

  async send({ chatId, text }: OutboundMessage): Promise<SendReceipt> {
    const socket = this.#chats.get(chatId)
    if (!socket) throw new SvcError('TCP_CHAT_GONE', `Chat ${chatId} is closed. Wait until its person comes back.`)
    await new Promise<void>((done, fail) => socket.write(`${text}\n`, (error) => (error ? fail(error) : done())))
    return { messageId: this.#newId() }
  }

  async probe(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1')
    const answered = once(socket, 'connect').then(() => true)
    return answered.catch(() => false).finally(() => socket.destroy())
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    for (const socket of this.#chats.values()) socket.destroy()
    if (server) await new Promise((done) => server.close(done))
  }

  /** The next line is read once this one is safe; what could not be taken is said to its writer. */
  async #talk(socket: Socket, link: GatewayConnection): Promise<void> {
    const chatId = this.#newId()
    this.#chats.set(chatId, socket)
    const lines = createInterface({ input: socket })
    socket.on('error', () => socket.destroy()).on('close', () => lines.close())
    for await (const text of lines) {
      const message = { platform: this.name, chatId, userId: chatId, messageId: this.#newId(), text }
      await link.receive(message).catch(() => socket.write('! That was not taken. Please say it again.\n'))
    }
    this.#chats.delete(chatId)
    socket.destroy()
  }
}
