/** A process that works on snapshots until it is done or killed: `<home> <project> <what> <count>`. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { config } from '../../../../plugins/safety/checkpoints/config.ts'
import { CheckpointStore } from '../../../../plugins/safety/checkpoints/service.ts'

const [home = '', project = '', what = '', count = '0'] = process.argv.slice(2)
const hex = (bytes: number) => randomBytes(bytes).toString('hex')

const store = new CheckpointStore({
  config: config.parse({ max_snapshots: 1000 }),
  dir: join(home, 'data', 'checkpoints'),
  svcHome: home,
  clock: () => ({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }),
  random: () => ({ next: () => Math.random(), hex, uuid: () => hex(16) }),
  searchPath: () => process.env['PATH'] ?? '',
  signal: new AbortController().signal,
})

process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  process.stdin.destroy()
  for (let at = 0; at < Number(count); at++) {
    if (what === 'restore') {
      process.stdout.write('restoring\n')
      await store.restore(project, at % 2 === 0 ? (process.argv[6] as string) : 'undo')
    } else {
      // Of its own: several work side by side.
      writeFileSync(join(project, `${what}.txt`), `${what} ${at}`)
      await store.take(project, `${what} ${at}`)
      process.stdout.write(`${at}\n`)
    }
  }
})
