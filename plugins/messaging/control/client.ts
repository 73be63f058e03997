/** The side that asks: one connection, one request, one answer. */
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { type Clock, errorCode, errorMessage, SvcError } from 'svc/sdk'
import type { ControlAnswer } from 'svc/sdk/host'
import { lines, toLine } from './lines.ts'
import { type Challenge, hold } from './peer-proof.ts'
import { type Address, removeStale } from './socket-paths.ts'
import { withTimeout } from './time-limit.ts'

const MAX_ANSWER = 16 * 2 ** 20

/** A question to one process. */
export interface Question {
  readonly method: string
  readonly params: unknown
  readonly limitMs: number
  readonly clock: Clock
}

/** What the process at an address says; undefined when it has ended, and then its socket is taken away. */
export async function askAt(address: Address, question: Question): Promise<ControlAnswer | undefined> {
  const { pid, path } = address
  const { clock, limitMs } = question
  let socket: Socket | undefined
  try {
    socket = await open(path)
    const { command, result, error } = await withTimeout(
      clock,
      limitMs,
      `Process ${pid}`,
      exchange(socket, dirname(path), question),
    )
    return { pid, command: command ?? 'svc', ...(error ? { error } : { result }) }
  } catch (error) {
    if (!socket && isDeserted(error)) {
      removeStale(address, clock.now())
      return undefined
    }
    return { pid, command: 'svc', error: { code: errorCode(error), message: errorMessage(error) } }
  } finally {
    socket?.destroy()
  }
}

/** Whether a process listens at an address. Rejects if that is unknown. */
export async function isAnswered(path: string): Promise<boolean> {
  try {
    const socket = await open(path)
    socket.destroy()
    return true
  } catch (error) {
    if (isDeserted(error)) return false
    throw error
  }
}

/** The file exists without a listener, or has just disappeared. */
function isDeserted(error: unknown): boolean {
  const { code } = ((error as SvcError).cause ?? {}) as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' || code === 'ENOENT'
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.on('error', (cause) => {
      socket.destroy()
      reject(new SvcError('CONTROL_UNREACHABLE', `${path} cannot be reached: ${errorMessage(cause)}.`, { cause }))
    })
  })
}

interface Reply {
  readonly command?: string
  readonly result?: unknown
  readonly error?: NonNullable<ControlAnswer['error']>
  /** Instead of an answer: what it takes to get one. */
  readonly prove?: Challenge
}

/** `folder` holds the challenges of the other process. */
async function exchange(socket: Socket, folder: string, { method, params }: Question): Promise<Reply> {
  const line = toLine({ id: 1, pid: process.pid, method, params })
  let release = () => {}
  socket.write(line)
  try {
    for await (const answer of lines(socket, MAX_ANSWER)) {
      const reply = JSON.parse(answer) as Reply
      if (!reply.prove) return reply
      release()
      release = hold(folder, reply.prove, line.trimEnd())
      socket.write(toLine({ id: 1, proof: true }))
    }
  } finally {
    release()
  }
  throw new SvcError('CONTROL_CLOSED', 'The process ended before it answered.')
}
