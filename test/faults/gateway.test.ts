/**
 * Every boundary of a message's way through the gateway: the process is killed there for real, started again, and what
 * people saw is counted. `SVC_FAULTS=all` tries every boundary of every way on every platform and writes the table; else
 * a part of them is tried, another one for each platform and each day.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pluginFolder, root } from '../support/repository.ts'
import { standInNames } from '../support/stand-ins.ts'
import { carry, type Outcome, type Path, paths } from './gateway-run.ts'

/** What came of all kills on one way. */
interface Row {
  readonly platform: string
  readonly path: Path
  kills: number
  once: number
  uncertain: number
  unkept: number
  lost: number
  doubled: number
  readonly details: string[]
}

const isAll = process.env['SVC_FAULTS'] === 'all'
/** One boundary of so many is tried, unless all are. */
const STRIDE = 56
/** Another one each day, so that in so many days every boundary is tried. A failure is repeated with `SVC_FAULTS_DAY`. */
const DAY = Number(process.env['SVC_FAULTS_DAY'] ?? Math.floor(Date.now() / 86_400_000))
const AT_ONCE = isAll ? 4 : 3
const rows: Row[] = []

/** The boundaries at which this run kills. */
function chosen(boundaries: number, offset: number): readonly number[] {
  const all = Array.from({ length: boundaries }, (_, at) => at + 1)
  return isAll ? all : all.filter((at) => at % STRIDE === (offset + DAY) % STRIDE)
}

function count(row: Row, at: number, outcome: Outcome): void {
  row.kills++
  if (outcome.copies > 1) row.doubled++
  else if (outcome.copies === 1) row.once++
  else if (outcome.isUncertain) row.uncertain++
  else if (!outcome.isKept) row.unkept++
  else row.lost++
  if (outcome.copies !== 1) row.details.push(`killed before ${at}: ${outcome.detail}`)
}

async function enumerate(platform: string, path: Path, offset: number): Promise<Row> {
  const row: Row = { platform, path, kills: 0, once: 0, uncertain: 0, unkept: 0, lost: 0, doubled: 0, details: [] }
  const { boundaries, copies, detail } = await carry(platform, path)
  expect(copies, `${platform} ${path} without a kill: ${detail}`).toBe(1)
  const waiting = [...chosen(boundaries, offset)]
  const work = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
      count(row, at, await carry(platform, path, { at, when: 'before' }))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return row
}

/** Ways that a platform does not have. */
function listPaths(platform: string): readonly Path[] {
  return platform === 'webhook' || platform === 'homeassistant' ? ['reply', 'job'] : paths
}

describe('a gateway that is killed at any boundary', () => {
  for (const [index, platform] of standInNames.entries())
    test(`loses nothing and doubles nothing in silence on ${platform}`, { timeout: 3_600_000 }, async () => {
      for (const [offset, path] of listPaths(platform).entries()) {
        const row = await enumerate(platform, path, index * 5 + offset * 3)
        rows.push(row)
        const repeat = `SVC_FAULTS_DAY=${DAY} npx vitest run --project slow test/faults/gateway.test.ts -t ${platform}`
        const said = [...row.details, `To repeat it: ${repeat}`].join('\n')
        expect({ lost: row.lost, doubled: row.doubled }, said).toEqual({ lost: 0, doubled: 0 })
      }
    })

  for (const platform of ['email', 'irc'])
    test(`is sure of every message on ${platform} before its last byte`, { timeout: 600_000 }, async () => {
      const { boundaries } = await carry(platform, 'job')
      for (let at = 1; at <= boundaries; at++) {
        const { copies, detail } = await carry(platform, 'job', { at, when: 'before' })
        expect(copies, `killed before ${at} of ${boundaries}: ${detail}`).toBe(1)
      }
    })

  test('the table of all kills can be read', () => {
    const text = table(rows)
    console.log(text)
    if (isAll) keep(text)
    expect(rows.length).toBeGreaterThan(standInNames.length)
  })
})

/** In the README of the outbox, from the count of kills to the next heading. */
function keep(text: string): void {
  const file = join(root, pluginFolder('outbox'), 'README.md')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/^\d+ kills\.\n[\s\S]*?(?=\n## )/m, () => text),
  )
}

function table(all: readonly Row[]): string {
  const kills = all.reduce((sum, row) => sum + row.kills, 0)
  const head = `${kills} kills.

| Platform | Way | Kills | Once | Uncertain | Not kept | Lost | Doubled |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |`
  const lines = all.map((row) => {
    const { platform, path, kills, once, uncertain, unkept, lost, doubled } = row
    return `| ${[platform, path, kills, once, uncertain, unkept, lost, doubled].join(' | ')} |`
  })
  return `${[head, ...lines].join('\n')}\n`
}
