/**
 * What a process that watches over the gateways of several profiles is told about one of them, when that one does not answer: a signal to
 * the process would reach all.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import type { Order } from './ending.ts'

export function writeOrder(file: string, order: Order['order']): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeAtomicallySync(file, order)
}

/** The order, which is gone then. */
export function takeOrder(file: string): Order['order'] | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    rmSync(file, { force: true })
    return text === 'stop' || text === 'restart' ? text : undefined
  } catch {
    // The file does not exist.
    return undefined
  }
}
