/** Two hours of a busy gateway on a bad platform, in virtual time. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'
import { IS_ALL } from '../support/today.ts'

const TURNS = IS_ALL ? 10_000 : 5000
/** In memory where that is to be had: what is measured is the program, not the disk that other tests share with it. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

test(`${TURNS} turns in two hours of faults: nothing lost, nothing doubled, and memory stays flat`, async () => {
  const home = mkdtempSync(join(place, 'svc-soak-'))
  const script = join(import.meta.dirname, 'gateway-soak.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, String(TURNS), home], {
    env: { PATH: process.env['PATH'] ?? '' },
    maxBuffer: 2 ** 24,
  })
  removeFolder(home)
  const report = JSON.parse(stdout) as {
    faults: number
    lost: number
    doubled: number
    heaps: number[]
    delayP99Ms: number
    counts: object
  }
  console.log(stdout.trim())
  expect(report).toMatchObject({ lost: 0, doubled: 0, counts: { pending: 0, attempting: 0, uncertain: 0, failed: 0 } })
  expect(report.faults).toBeGreaterThan(TURNS / 50)
  const median = (list: readonly number[]) => list.toSorted((one, two) => one - two)[list.length >> 1] as number
  const [early, late] = [median(report.heaps.slice(2, 5)), median(report.heaps.slice(-3))]
  expect(late - early, `heap in MiB every tenth of the turns: ${report.heaps.join(' ')}`).toBeLessThan(5)
}, 600_000)
