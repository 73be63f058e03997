/** A process that adds keys through the real file: `change-child <file> <name> <count>`. Bundled by the tests. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeFile } from '../../../../plugins/providers/credentials/change-file.ts'

const [file = '', name = '', count = '0'] = process.argv.slice(2)
const host = {
  clock: { monotonic: () => performance.now(), sleep: async (ms: number) => void (await sleep(ms)) },
  random: { hex: (bytes: number) => randomBytes(bytes).toString('hex'), next: () => Math.random() },
}

process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  for (let at = 0; at < Number(count); at++)
    await changeFile(file, host, (stored) => {
      stored.credential_pool[`${name}-${at}`] = []
    })
  process.exit(0)
})
