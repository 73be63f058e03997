import { createInterface } from 'node:readline'
import { connect } from 'node:net'
import { once } from 'node:events'
import { conformance, type PlatformPeer, platformContract } from 'svc/sdk/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { TcpChat } from './platform.ts'

/** Somebody with a terminal. The first line he or she writes tells which chat it is. */
async function visitor(platform: TcpChat, chatId: string): Promise<PlatformPeer> {
  const socket = connect(platform.port, '127.0.0.1')
  const heard: string[] = []
  createInterface({ input: socket }).on('line', (line) => heard.push(line))
  await once(socket, 'connect')
  return { chatId, heard: () => heard, say: (text) => void socket.write(`${text}\n`) }
}

function setup() {
  let ids = 0
  const platform = new TcpChat(0, () => `id-${++ids}`)
  return { platform, join: () => visitor(platform, 'id-1') }
}

describe('the platform keeps its contract, over real sockets', () => {
  for (const { name, run } of platformContract(setup)) test(name, run)
})
