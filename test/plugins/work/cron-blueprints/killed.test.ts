/** The built program, killed at any step of an acceptance: the yes is carried out once, or is still to be given. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { DAY, isToday } from '../../../support/today.ts'
import { withBlueprint } from './stage.ts'

/** One kill of so many is tried a day. */
const PARTS = 4
const preload = join(root, 'test/faults/kill-at-step.cjs')
const begin = join(import.meta.dirname, 'begin-steps.cjs')

function svc(home: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const loaded = Object.keys(env).length > 0 ? ['--require', preload, '--require', begin] : []
  const argv = [...loaded, join(root, 'dist/kernel/bin.cjs'), 'cron', ...words]
  const variables = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home, ...env }
  return spawnSync(process.execPath, argv, { cwd: home, env: variables, input: '', encoding: 'utf8', timeout: 60_000 })
}
const read = (home: string, words: readonly string[]) => JSON.parse(svc(home, [...words, '--json']).stdout)

test(`an acceptance is killed at any step: one job in the end, and none after a no (day ${DAY})`, {
  timeout: 300_000,
}, () => {
  const before = temporaryFolder()
  writeFiles(before, {
    '.no-bundled-skills': '',
    'skills/standup/SKILL.md': withBlueprint('standup', '{ schedule: every 1h }'),
  })
  expect(read(before, ['suggestions']).suggestions[0]).toMatchObject({ id: 1, blueprint: 'standup' })
  const copy = () => {
    const home = temporaryFolder()
    cpSync(before, home, { recursive: true })
    return home
  }
  const file = join(temporaryFolder(), 'count')
  expect(svc(copy(), ['suggestions', 'accept', '1'], { SVC_TEST_COUNT: file }).status).toBe(0)
  const seen = readFileSync(file, 'utf8').trim().split('\n')
  const writes = seen.flatMap((step, at) => (step.includes('suggestions.json') ? [at + 1] : []))
  expect(writes.length).toBe(2)
  // Those around the two writes of the yes are tried every day.
  const near = writes.flatMap((at) => [at, at + 1])
  const steps = seen.map((_, at) => at + 1).filter((at) => near.includes(at) || isToday(at, PARTS))
  for (const at of steps) {
    const home = copy()
    const killed = svc(home, ['suggestions', 'accept', '1'], { SVC_TEST_KILL_AT: String(at) })
    expect(killed.signal, `step ${at}: ${seen[at - 1]}`).toBe('SIGKILL')
    const isPending = read(home, ['suggestions']).suggestions.some(({ id }: { id: number }) => id === 1)
    const made = read(home, ['list', '--all']).jobs
    // The yes that was on disk was carried out by the next look; before that nothing of it was.
    expect(made, `step ${at}: ${seen[at - 1]}`).toHaveLength(isPending ? 0 : 1)
    expect(isPending).toBe(at <= (writes[0] ?? 0))
    if (isPending && at % 2 === 0) {
      expect(svc(home, ['suggestions', 'dismiss', '1']).status).toBe(0)
      expect(read(home, ['list', '--all']).jobs).toEqual([])
    } else {
      expect(svc(home, ['suggestions', 'accept', '1']).status).toBe(0)
      expect(read(home, ['list', '--all']).jobs).toHaveLength(1)
    }
  }
})
