import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'

test('1,000 loads, unloads and reloads under running turns leave nothing, keep the heap flat and lose no turn', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-cycles-'))
  const script = join(import.meta.dirname, 'reload-cycles.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, home, '1000'], {
    env: { PATH: process.env['PATH'] ?? '' },
    maxBuffer: 2 ** 24,
  })
  removeFolder(home)
  const { turns, samples, last, holds, problems } = JSON.parse(stdout) as {
    turns: { started: number; completed: number; broken: string[] }
    samples: number[]
    last: string[]
    holds: object
    problems: unknown[]
  }
  expect(turns.broken).toEqual([])
  expect(turns.completed).toBe(turns.started)
  expect(turns.started).toBeGreaterThan(100)
  expect(last).toEqual(['worker'])
  expect(holds).toEqual({})
  expect(problems).toEqual([])
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] as number
  const early = median(samples.slice(4, 10))
  const late = median(samples.slice(-6))
  expect(late - early, `heap in MiB every 50 cycles: ${samples.map((mib) => mib.toFixed(1)).join(' ')}`).toBeLessThan(3)
}, 180_000)
