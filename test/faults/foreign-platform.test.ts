/** A platform of a third party, as its author tests it: rehearsed by the built program, and killed before each step. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openStandIn, type PlatformKill, platformKillSuite } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')
const dir = join(root, 'test/support/plugins/notice-board')
const kills: PlatformKill[] = []

for (const { name, run } of platformKillSuite({
  platform: 'board',
  dirs: [dir],
  ways: ['job'],
  onKill: (kill) => void kills.push(kill),
}))
  test(`a plugin of a third party: ${name}`, { timeout: 600_000 }, run)

test('every step was tried, and by its notes the plugin was sure of every message', () => {
  expect(kills.filter(({ way }) => way === 'job').length).toBeGreaterThan(4)
  expect(kills.filter(({ result }) => result !== 'once')).toEqual([])
})

test('svc gateway rehearse runs a platform of a third party, faults included', { timeout: 120_000 }, async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'platforms:\n  board:\n    dm_policy: pairing\n')
  const words = ['--plugin', dir, 'gateway', 'rehearse', 'board', '--chaos', 'busy,unanswered,forbidden,flap', '--json']
  const env = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home }
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...words], { env, cwd: home })
  const lines = stdout.trim().split('\n')
  const steps = lines.map((line) => JSON.parse(line) as { readonly name: string; readonly result: string })
  expect(steps.filter(({ result }) => result === 'failed')).toEqual([])
  expect(steps.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'connects',
      'a friend writes',
      'a send goes wrong: unanswered',
      'the line is disturbed: flap',
    ]),
  )
})

test('a platform without a stand-in is refused with the names of those that have one', async () => {
  await expect(openStandIn('pigeon', [dir])).rejects.toThrow(/no plugin has a stand-in for pigeon, only for board, /)
})
