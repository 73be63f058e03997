import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { GatewayConnection } from 'svc/sdk/platform'
import { conformance, type PlatformPeer, platformContract } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { TcpChat } from './platform.ts'

/** A platform on a free port. Its ids are counted, so the first visitor is in chat `id-1`. */
function setup() {
  let ids = 0
  const platform = new TcpChat(0, () => `id-${++ids}`)
  return { platform, join: () => visitor(platform.port) }
}

/** Someone with a terminal. */
async function visitor(port: number): Promise<PlatformPeer> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const heard: string[] = []
  createInterface({ input: socket }).on('line', (line) => heard.push(line))
  return { chatId: 'id-1', heard: () => heard, say: (text) => void socket.write(`${text}\n`) }
}

describe('the platform keeps its contract, over real sockets', () => {
  for (const { name, run } of platformContract(setup)) test(name, run)
})

test('the plugin is what a plugin has to be', async () => {
  const config = { platforms: { tcp: { port: 0 } } }
  const report = await conformance({ dir: import.meta.dirname, config })
  expect(report.cases.filter(({ result }) => result === 'failed')).toEqual([])
})

/** What stands for the gateway. */
function gateway(receive: GatewayConnection['receive']): GatewayConnection {
  const cursor = () => ({ get: () => undefined, set: () => {} })
  return { receive, cursor, lost: () => {}, alive: () => {}, signal: new AbortController().signal }
}

test('a port that is taken is said, with what to do', async () => {
  const { platform } = setup()
  const link = gateway(async () => ({ outcome: 'taken' }))
  await platform.connect(link)
  await expect(new TcpChat(platform.port, () => '').connect(link)).rejects.toThrow('Set platforms.tcp.port')
  await platform.close()
})

test('a line that could not be taken is said to anyone who wrote it', async () => {
  const { platform, join } = setup()
  const refuse = async () => Promise.reject(new Error('full'))
  await platform.connect(gateway(refuse))
  const peer = await join()
  peer.say('hello')
  await expect.poll(() => peer.heard()).toEqual(['! That was not taken. Please say it again.'])
  await platform.close()
})
