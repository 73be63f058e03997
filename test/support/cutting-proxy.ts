/** A TCP proxy before a stand-in that can cut connections at a given stage of what passes through them. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** `middle`: when so many bytes of a request have passed; `answer`: when the service begins to answer; `none`: never. */
export type CutStage = { readonly middle: number } | 'answer' | 'none'

export interface CuttingProxy {
  readonly url: string
  /** From now on; the next connection that reaches the stage is reset, and others pass. */
  cutOnce(stage: CutStage): void
  readonly cuts: number
}

/** Passes everything on to `target`, an address such as `http://127.0.0.1:8080`. */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let stage: CutStage = 'none'
  let cuts = 0
  const cut = (...both: readonly Socket[]) => {
    stage = 'none'
    cuts++
    for (const socket of both) socket.resetAndDestroy()
  }
  const server = createServer((near) => {
    const far = connect(Number(new URL(target).port), '127.0.0.1')
    let passed = 0
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    near.on('data', (piece) => {
      passed += piece.length
      if (typeof stage === 'object' && passed > stage.middle) cut(near, far)
      else far.write(piece)
    })
    far.on('data', (piece) => {
      if (stage === 'answer' && passed > 0) cut(near, far)
      else near.write(piece)
    })
    near.on('end', () => far.end())
    far.on('end', () => near.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutOnce: (next) => {
      stage = next
    },
    get cuts() {
      return cuts
    },
  }
}
