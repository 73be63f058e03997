/**
 * Every step of a message's way through the gateway: the process is killed there for real, started again, and what people saw is
 * counted, by the suite that authors of platforms run. `SVC_FAULTS=all` tries every step of every way on every platform and writes
 * the table, row by row, so that one platform can be tried alone; else a part of them is tried, another one for each platform and each
 * day.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KillResult, type MessageWay, type PlatformKillOptions, platformKillSuite } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { pluginFolder, root } from '../support/repository.ts'
import { openStandIn, type StandInCase, standInCases } from '../support/stand-ins.ts'
import { DAY, IS_ALL, isToday, ROUND } from '../support/today.ts'

/** What came of all kills on one way. */
interface Row {
  readonly label: string
  readonly way: MessageWay
  readonly results: KillResult[]
}

/** A twenty-fourth of the ways of each platform is gone a day, with one step of so many. */
const STRIDE = 42
const WAY_PARTS = 48
/** The same for a connection that is cut between any two bytes. */
const BYTES_STRIDE = 3
/** The same for files on slack, whose every step is a promise of its own. */
const FILES_STRIDE = 4
const rows: Row[] = []
const ways: readonly MessageWay[] = ['reply', 'stream', 'tool', 'approval', 'job', 'files', 'speech']
/** Platforms whose voice messages come in and go out, and that have been tried. */
const VOICE = ['discord']

/** With `SVC_FAULTS=all`: these ways alone, separated by commas. */
const WAYS = process.env['SVC_FAULTS_WAYS']?.split(',')

/** Ways that a platform has and that are wanted. */
function listWays(platform: string): readonly MessageWay[] {
  const known = platform === 'homeassistant' ? (['reply', 'job'] as const) : ways
  const own = known.filter((way) => way !== 'speech' || VOICE.includes(platform))
  return WAYS && IS_ALL ? own.filter((way) => WAYS.includes(way)) : own
}

async function runSuite(
  { way, results }: Row,
  { platform, open }: Omit<StandInCase, 'label'>,
  options: Partial<PlatformKillOptions>,
): Promise<void> {
  const onKill: PlatformKillOptions['onKill'] = ({ result }) => void results.push(result)
  for (const { run } of platformKillSuite({ platform, standIn: open, ways: [way], onKill, ...options })) await run()
}

/** Of a platform that has one service. */
function runOn(platform: string, row: Row, options: Partial<PlatformKillOptions>): Promise<void> {
  return runSuite(row, { platform, open: () => openStandIn(platform) }, options)
}

describe('a gateway that is killed at any step', () => {
  for (const [index, service] of standInCases.entries())
    test(`loses nothing and doubles nothing in silence on ${service.label}`, { timeout: 3_600_000 }, async () => {
      for (const [offset, way] of listWays(service.platform).entries()) {
        if (!isToday(index + offset, WAY_PARTS)) continue
        const row: Row = { label: service.label, way, results: [] }
        rows.push(row)
        const first = ((index * 5 + offset * 3 + Math.floor(ROUND / WAY_PARTS)) % STRIDE) + 1
        const repeat = `SVC_FAULTS_DAY=${DAY} npx vitest run --project slow test/faults/gateway.test.ts -t 'on ${service.label}'`
        const options = IS_ALL ? { atOnce: 4 } : { every: STRIDE, first }
        await expect(runSuite(row, service, options), `To repeat it: ${repeat}`).resolves.toBeUndefined()
        if (IS_ALL) keep([row])
      }
    })

  for (const platform of ['email', 'irc'].filter((_, index) => isToday(index, 2)))
    test(`is sure of every message on ${platform} before its last byte`, { timeout: 600_000 }, async () => {
      const row: Row = { label: platform, way: 'job', results: [] }
      await runOn(
        platform,
        row,
        IS_ALL ? { atOnce: 1 } : { atOnce: 1, every: BYTES_STRIDE, first: (ROUND % BYTES_STRIDE) + 1 },
      )
      expect(new Set(row.results)).toEqual(new Set(['once']))
    })

  test('is sure of files on slack, which keeps no key with them, by the note of their upload', {
    timeout: 900_000,
  }, async () => {
    const row: Row = { label: 'slack', way: 'files', results: [] }
    await runOn('slack', row, IS_ALL ? {} : { every: FILES_STRIDE, first: (ROUND % FILES_STRIDE) + 1 })
    expect(new Set(row.results)).toEqual(new Set(['once']))
  })

  test('the table of all kills can be read', () => {
    console.log(table(rows.map(line)))
    expect(rows.length).toBeGreaterThan(standInCases.length / 8)
  })
})

const HEAD = `| Platform | Way | Kills | Once | Uncertain | Not kept | Lost | Doubled |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |`
const order: readonly KillResult[] = ['once', 'uncertain', 'unkept', 'lost', 'doubled']

/** In the README of the outbox, from the count of kills to the next heading: these rows take the place of those of the same way. */
function keep(added: readonly Row[]): void {
  const file = join(root, pluginFolder('outbox'), 'README.md')
  const text = readFileSync(file, 'utf8')
  const [old = ''] = /^\d+ kills\.\n[\s\S]*?(?=\n## )/m.exec(text) ?? []
  const isReplaced = (each: string) =>
    added.some(({ label, way }) => each.startsWith(`| ${label} | ${way} |`)) || !/^\| [\w-]+ \| \w+ \| \d/.test(each)
  const lines = [...old.split('\n').filter((each) => !isReplaced(each)), ...added.map(line)]
  writeFileSync(
    file,
    text.replace(old, () => table(lines.sort((one, two) => rank(one) - rank(two)))),
  )
}

/** By the platform, then by the way. */
function rank(text: string): number {
  const [, label = '', way = ''] = text.split('|').map((cell) => cell.trim())
  const at = standInCases.findIndex((service) => service.label === label)
  return at * ways.length + ways.indexOf(way as MessageWay)
}

function line({ label, way, results }: Row): string {
  const counts = order.map((result) => results.filter((each) => each === result).length)
  return `| ${[label, way, results.length, ...counts].join(' | ')} |`
}

function table(lines: readonly string[]): string {
  const kills = lines.reduce((sum, each) => sum + Number(each.split('|')[3]), 0)
  return `${[`${kills} kills.\n`, HEAD, ...lines].join('\n')}\n`
}
