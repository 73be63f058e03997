/** The holder of a lock, as recorded in the lock file. */
import { hostname } from 'node:os'
import { isRunning, ownProcess, type ProcessMark } from './identity.ts'

/** The process that holds a lock. @since 0.1 */
export interface LockHolder extends ProcessMark {
  readonly host: string
  /** Tells two locks of one process apart. */
  readonly token: string
  /** What the holder wrote with `FileLock.note`. */
  readonly note?: unknown
}

/** The name of this machine, as records of processes hold it. @since 0.2 */
export function getMachineName(): string {
  return hostname()
}

/** This process as the holder of a new lock. @since 0.2 */
export function newHolder(token: string): LockHolder {
  return { ...ownProcess(), host: hostname(), token }
}

/** Whether the holder was a process of this machine that has ended. @since 0.2 */
export function hasEnded(holder: LockHolder): boolean {
  return holder.host === hostname() && !isRunning(holder)
}

/**
 * Reads the text of a lock file. Returns undefined if it names no process, as a file does that is written at this
 * moment. Earlier versions wrote the identity as `began` or `born`, or the values as words: id, host, identity, token.
 * @since 0.2
 */
export function parseHolder(text: string): LockHolder | undefined {
  const words = text.split(/[\s]+/)
  if (/^\d+$/.test(words[0] ?? '') && words.length >= 3) {
    const [pid, host = '', identity = '', token = ''] = words
    return { pid: Number(pid), host, identity: identity === '?' ? '' : identity, token }
  }
  const value = parseObject(text)
  if (typeof value?.['pid'] !== 'number') return undefined
  const identity = value['identity'] ?? value['began'] ?? value['born']
  return {
    pid: value['pid'],
    host: typeof value['host'] === 'string' ? value['host'] : hostname(),
    identity: typeof identity === 'string' ? identity : '',
    token: typeof value['token'] === 'string' ? value['token'] : '',
    ...(value['note'] !== undefined && { note: value['note'] }),
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
