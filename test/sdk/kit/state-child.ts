/** Counts in a state file at a word from its parent: `state-child.js FILE TIMES`. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StateFile } from 'svc/sdk/kit/state'
import { counter } from './state-counter.ts'

const [file = '', times = '0'] = process.argv.slice(2)
const state = new StateFile({
  ...counter,
  file,
  what: 'the counter',
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms) => sleep(ms),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  },
  random: { next: () => Math.random(), hex: (bytes) => randomBytes(bytes).toString('hex'), uuid: () => '' },
  onProblem: (error) => console.error(error),
})
console.log('ready')
await once(process.stdin, 'data')
for (let at = 0; at < Number(times); at++) await state.update(({ count }) => ({ count: count + 1 }))
console.log('done')
process.exit()
