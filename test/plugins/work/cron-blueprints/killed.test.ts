/** The built program, killed at any step of an acceptance, and where a skill is installed: a yes is carried out once, or is still to be given. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { withBlueprint } from './stage.ts'

const preload = join(root, 'test/faults/kill-at-step.cjs')
const begin = join(import.meta.dirname, 'begin-steps.cjs')

const svc = (home: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(home, ['cron', ...words], env)

function run(home: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const loaded = Object.keys(env).length > 0 ? ['--require', preload, '--require', begin] : []
  const argv = [...loaded, join(root, 'dist/kernel/bin.cjs'), ...words]
  const variables = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home, ...env }
  return spawnSync(process.execPath, argv, { cwd: home, env: variables, input: '', encoding: 'utf8', timeout: 60_000 })
}
const read = (home: string, words: readonly string[]) => JSON.parse(svc(home, [...words, '--json']).stdout)

test('an acceptance is killed at any step: one job in the end, and none after a no', {
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
  // The yes is written, the job is made, and the suggestion gets the id of the job.
  const written = 'file cron-blueprints/state/suggestions.json'
  expect(seen.slice(0, 4)).toEqual([written, 'after suggestions', written, 'after suggestions'])
  for (const [index, step] of seen.entries()) {
    const at = index + 1
    const home = copy()
    const killed = svc(home, ['suggestions', 'accept', '1'], { SVC_TEST_KILL_AT: String(at) })
    expect(killed.signal, `step ${at}: ${step}`).toBe('SIGKILL')
    const isPending = read(home, ['suggestions']).suggestions.some(({ id }: { id: number }) => id === 1)
    const made = read(home, ['list', '--all']).jobs
    // The yes that was on disk was carried out by the next look; before that nothing of it was.
    expect(made, `step ${at}: ${step}`).toHaveLength(isPending ? 0 : 1)
    expect(isPending).toBe(at === 1)
    if (isPending) {
      expect(svc(home, ['suggestions', 'dismiss', '1']).status).toBe(0)
      expect(read(home, ['list', '--all']).jobs).toEqual([])
    } else {
      expect(svc(home, ['suggestions', 'accept', '1']).status).toBe(0)
      expect(read(home, ['list', '--all']).jobs).toHaveLength(1)
    }
  }
})

test('the process that installs a skill registers its blueprint before it ends, and schedules nothing', {
  timeout: 60_000,
}, () => {
  const [home, source] = [temporaryFolder(), temporaryFolder()]
  writeFiles(home, { '.no-bundled-skills': '' })
  writeFiles(source, { 'standup/SKILL.md': withBlueprint('standup', '{ schedule: every 1h }') })
  expect(run(home, ['skills', 'install', join(source, 'standup'), '--yes']).status).toBe(0)
  const stored = readFileSync(join(home, 'data/cron-blueprints/state/suggestions.json'), 'utf8')
  expect(stored).toMatch(/"blueprint":"standup",.*"status":"pending"/)
  expect(read(home, ['list', '--all']).jobs).toEqual([])
})
