import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceReport } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { isToday } from '../support/today.ts'

const fixtures = join(root, 'test/fixtures/sdk-0.1')
const folders = ['examples', 'plugins'].flatMap((group) =>
  readdirSync(join(fixtures, group)).map((name) => [name, join(fixtures, group, name)] as const),
)
/** Cases that fail for a reason of the plugin itself, as they did with SDK 0.1. */
const knownFailures: Readonly<Record<string, RegExp>> = {
  // Its tool comes later, and plugin.json does not name it.
  'pp-dyn': /^it registers exactly what plugin\.json says$/,
}

/** `svc plugins WORDS` of the built program. */
async function plugins(words: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], SVC_HOME: temporaryFolder() }
  const program = join(root, 'dist/kernel/bin.cjs')
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'plugins', ...words], { env }, (_error, out) => resolve(out))
  })
}

/** Half of them each day. */
test.for(folders.filter((_, at) => isToday(at, 4)))(
  '%s, written for SDK 0.1, keeps the contracts unchanged',
  { timeout: 120_000 },
  async ([name, dir]) => {
    const report = JSON.parse(await plugins(['verify', dir, '--json'])) as ConformanceReport
    const failed = report.cases.filter(({ result }) => result === 'failed')
    expect(failed.filter((each) => !knownFailures[name]?.test(each.name))).toEqual([])
  },
)
