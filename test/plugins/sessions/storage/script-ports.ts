/** The outside as a script beside a test has it: real time, real randomness, complaints on standard error. */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import type { Clock, Random } from 'svc/sdk'
import type { StorageDeps } from '../../../../plugins/sessions/storage/storage.ts'

/** Timers never fire: a script is over before. */
export function scriptPorts(): StorageDeps {
  const clock: Clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: () => () => {},
    sleep: async () => {},
  }
  const random: Random = { next: Math.random, hex: (bytes) => randomBytes(bytes).toString('hex'), uuid: randomUUID }
  const complain = (message: string) => void writeSync(2, `${message}\n`)
  return { clock, random, log: { debug: () => {}, info: () => {}, warn: complain, error: complain } }
}
