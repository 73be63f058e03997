/**
 * A Redis server on loopback, as much of it as a cache needs, after https://redis.io/docs/latest/develop/reference/protocol-spec/
 * (RESP2) and the pages of the commands. Unknown commands and wrong numbers of arguments are refused as Redis does it.
 */
import net, { type AddressInfo, type Socket } from 'node:net'

/** A running server. */
export interface RedisServer {
  /** `redis://127.0.0.1:<port>`. */
  readonly url: string
  /** Names of commands, oldest first. */
  readonly commands: readonly string[]
  /** Keys that it holds now. */
  keys(): readonly string[]
  /** Takes commands and does not answer any more. */
  fallSilent(): void
  close(): Promise<void>
}

/** Starts it on a free port. */
export async function startRedisServer(): Promise<RedisServer> {
  const values = new Map<string, { readonly value: string; readonly until: number }>()
  const commands: string[] = []
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let waiting = Buffer.alloc(0)
    socket.on('data', (data) => {
      waiting = Buffer.concat([waiting, data as Buffer])
      for (let read = readCommand(waiting); read; read = readCommand(waiting)) {
        waiting = waiting.subarray(read.length)
        commands.push(String(read.words[0]).toUpperCase())
        if (!isSilent) socket.write(answerTo(read.words, values))
      }
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands,
    keys: () => [...values].filter(([, { until }]) => until > Date.now()).map(([key]) => key),
    fallSilent() {
      isSilent = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An array of bulk strings, when all of it has arrived. */
function readCommand(bytes: Buffer): { readonly words: readonly string[]; readonly length: number } | undefined {
  const header = /^\*(\d+)\r\n/.exec(bytes.subarray(0, 20).toString('latin1'))
  if (!header) return undefined
  let at = header[0].length
  const words: string[] = []
  for (let left = Number(header[1]); left > 0; left--) {
    const size = /^\$(\d+)\r\n/.exec(bytes.subarray(at, at + 20).toString('latin1'))
    if (!size) return undefined
    const start = at + size[0].length
    const end = start + Number(size[1])
    if (bytes.length < end + 2) return undefined
    words.push(bytes.subarray(start, end).toString('utf8'))
    at = end + 2
  }
  return { words, length: at }
}

type Values = Map<string, { readonly value: string; readonly until: number }>

function answerTo([name = '', ...words]: readonly string[], values: Values): string {
  const wrong = `-ERR wrong number of arguments for '${name.toLowerCase()}' command\r\n`
  const [key = ''] = words
  switch (name.toUpperCase()) {
    case 'GET':
      return words.length === 1 ? bulk(values.get(key)) : wrong
    case 'SET':
      return words.length >= 2 ? set(words, values) : wrong
    case 'DEL':
    case 'UNLINK':
      return words.length > 0 ? `:${words.filter((each) => values.delete(each)).length}\r\n` : wrong
    case 'CLIENT':
    case 'QUIT':
      return '+OK\r\n'
    case 'PING':
      return '+PONG\r\n'
    default:
      return `-ERR unknown command '${name}'\r\n`
  }
}

function bulk(entry: { readonly value: string; readonly until: number } | undefined): string {
  if (!entry || entry.until <= Date.now()) return '$-1\r\n'
  return `$${Buffer.byteLength(entry.value)}\r\n${entry.value}\r\n`
}

function set([key = '', value = '', option, count]: readonly string[], values: Values): string {
  if (option === undefined) values.set(key, { value, until: Number.POSITIVE_INFINITY })
  else if (option.toUpperCase() === 'PX' && Number(count) > 0)
    values.set(key, { value, until: Date.now() + Number(count) })
  else return '-ERR syntax error\r\n'
  return '+OK\r\n'
}
