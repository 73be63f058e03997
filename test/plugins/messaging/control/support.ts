/** Homes and raw connections for the tests of the control channel. */
import { mkdtempSync, readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'

/** Its own home, gone after the test. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-control-'))
  onTestFinished(() => removeFolder(home))
  return home
}

/** The sockets in a home. */
export function sockets(home: string): string[] {
  try {
    return readdirSync(join(home, 'run')).sort()
  } catch {
    // No process of this home was ever reachable.
    return []
  }
}

/** A connection that speaks raw bytes. */
export async function dial(home: string): Promise<Socket> {
  const [name = ''] = sockets(home)
  const socket = connect(join(home, 'run', name))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => socket.destroy())
  onTestFinished(() => void socket.destroy())
  return socket
}

/** All that comes until the other side closes. */
export async function received(socket: Socket): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  return Buffer.concat(parts).toString()
}

/** The next line that comes. */
export function nextLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const more = (part: Buffer) => {
      text += part
      if (!text.includes('\n')) return
      socket.off('data', more)
      resolve(text.slice(0, text.indexOf('\n')))
    }
    socket.on('data', more)
  })
}
