/**
 * Every step of a message's way through the gateway: the process is killed there for real, started again, and what people saw is
 * counted, by the suite that authors of platforms run. `SVC_FAULTS=all` tries every step of every way on every platform and writes
 * the table; else a part of them is tried, another one for each platform and each day.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KillResult, type MessageWay, type PlatformKillOptions, platformKillSuite } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { pluginFolder, root } from '../support/repository.ts'
import { openStandIn, standInNames } from '../support/stand-ins.ts'
import { DAY, IS_ALL, isToday } from '../support/today.ts'

/** What came of all kills on one way. */
interface Row {
  readonly platform: string
  readonly way: MessageWay
  readonly results: KillResult[]
}

/** A twelfth of the ways of each platform is gone a day, with one step of so many. */
const STRIDE = 42
const WAY_PARTS = 12
/** The same for a connection that is cut between any two bytes. */
const BYTES_STRIDE = 3
/** The same for files on slack, whose every step is a promise of its own. */
const FILES_STRIDE = 4
const rows: Row[] = []
const ways: readonly MessageWay[] = ['reply', 'stream', 'tool', 'approval', 'job', 'files']

/** Ways that a platform has. */
function listWays(platform: string): readonly MessageWay[] {
  return platform === 'homeassistant' ? ['reply', 'job'] : ways
}

async function runSuite(row: Row, options: Partial<PlatformKillOptions>): Promise<void> {
  const { platform, way, results } = row
  const standIn = () => openStandIn(platform)
  const onKill: PlatformKillOptions['onKill'] = ({ result }) => void results.push(result)
  for (const { run } of platformKillSuite({ platform, standIn, ways: [way], onKill, ...options })) await run()
}

describe('a gateway that is killed at any step', () => {
  for (const [index, platform] of standInNames.entries())
    test(`loses nothing and doubles nothing in silence on ${platform}`, { timeout: 3_600_000 }, async () => {
      for (const [offset, way] of listWays(platform).entries()) {
        if (!isToday(index + offset, WAY_PARTS)) continue
        const row: Row = { platform, way, results: [] }
        rows.push(row)
        const first = ((index * 5 + offset * 3 + Math.floor(DAY / WAY_PARTS)) % STRIDE) + 1
        const repeat = `SVC_FAULTS_DAY=${DAY} npx vitest run --project slow test/faults/gateway.test.ts -t ${platform}`
        const options = IS_ALL ? { atOnce: 4 } : { every: STRIDE, first }
        await expect(runSuite(row, options), `To repeat it: ${repeat}`).resolves.toBeUndefined()
      }
    })

  for (const platform of ['email', 'irc'].filter((_, index) => isToday(index, 2)))
    test(`is sure of every message on ${platform} before its last byte`, { timeout: 600_000 }, async () => {
      const row: Row = { platform, way: 'job', results: [] }
      await runSuite(row, IS_ALL ? { atOnce: 1 } : { atOnce: 1, every: BYTES_STRIDE, first: (DAY % BYTES_STRIDE) + 1 })
      expect(new Set(row.results)).toEqual(new Set(['once']))
    })

  test('is sure of files on slack, which keeps no key with them, by the note of their upload', {
    timeout: 900_000,
  }, async () => {
    const row: Row = { platform: 'slack', way: 'files', results: [] }
    await runSuite(row, IS_ALL ? {} : { every: FILES_STRIDE, first: (DAY % FILES_STRIDE) + 1 })
    expect(new Set(row.results)).toEqual(new Set(['once']))
  })

  test('the table of all kills can be read', () => {
    const text = table(rows)
    console.log(text)
    if (IS_ALL) keep(text)
    expect(rows.length).toBeGreaterThan(standInNames.length / 3)
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
  const kills = all.reduce((sum, { results }) => sum + results.length, 0)
  const head = `${kills} kills.

| Platform | Way | Kills | Once | Uncertain | Not kept | Lost | Doubled |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |`
  const order: readonly KillResult[] = ['once', 'uncertain', 'unkept', 'lost', 'doubled']
  const lines = all.map(({ platform, way, results }) => {
    const counts = order.map((result) => results.filter((each) => each === result).length)
    return `| ${[platform, way, results.length, ...counts].join(' | ')} |`
  })
  return `${[head, ...lines].join('\n')}\n`
}
