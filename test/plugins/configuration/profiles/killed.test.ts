/** Commands that change profiles, killed at their changes of the disk: what is left is the whole or nothing. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { DAY, isToday } from '../../../support/today.ts'

/** One kill of so many is tried a day; the last is tried every day. */
const PARTS = 12
const preload = join(root, 'test/faults/kill-at-write.cjs')

function svc(home: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const argv = [...(env['SVC_TEST_BELOW'] ? ['--require', preload] : []), join(root, 'dist/kernel/bin.cjs'), ...words]
  const variables = { PATH: process.env['PATH'], SVC_HOME: home, ...env }
  return spawnSync(process.execPath, argv, { cwd: home, env: variables, input: '', encoding: 'utf8', timeout: 60_000 })
}

/** What is below a folder, with its contents. */
function readTree(dir: string): Readonly<Record<string, string>> | undefined {
  if (!existsSync(dir)) return undefined
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(paths.map((path) => [path.slice(dir.length + 1), readFileSync(path, 'utf8')]))
}

/** Where profiles and what was deleted are; names of slots in the trash differ from run to run. */
function readProfiles(home: string) {
  const trash = join(home, 'trash/profiles')
  const slots = existsSync(trash) ? readdirSync(trash).map((slot) => readTree(join(trash, slot)) ?? {}) : []
  const active = join(home, 'active_profile')
  const names = ['work', 'office', 'lab'] as const
  return {
    profiles: Object.fromEntries(names.map((name) => [name, readTree(join(home, 'profiles', name))])),
    deleted: slots.filter((slot) => Object.keys(slot).length > 0),
    active: existsSync(active) ? readFileSync(active, 'utf8') : '',
  }
}

const cases = [
  { words: ['profile', 'create', 'lab', '--clone-from', 'work'], before: [] },
  { words: ['profile', 'rename', 'work', 'office'], before: ['profile', 'use', 'work'] },
  { words: ['profile', 'delete', 'work', '--yes'], before: [] },
  { words: ['profile', 'import', 'lab.zip', '--name', 'lab'], before: ['profile', 'export', 'work', '-o', 'lab.zip'] },
  { words: ['profile', 'restore', 'work'], before: ['profile', 'delete', 'work', '--yes'] },
]

test.for(cases)('$words killed at any step does all of it or nothing', { timeout: 120_000 }, ({ words, before }) => {
  const start = temporaryFolder()
  writeFiles(start, {
    'profiles/work/config.yaml': '{}\n',
    'profiles/work/.env': 'A_KEY=value\n',
    'profiles/work/skills/a/SKILL.md': 'a',
    'profiles/work/memories/USER.md': 'b',
  })
  // The other files of the home exist then.
  expect(svc(start, ['profile', 'list']).status).toBe(0)
  if (before.length > 0) expect(svc(start, before).status).toBe(0)
  const typed = ['-p', 'default', ...words]
  const copy = () => {
    const home = temporaryFolder()
    cpSync(start, home, { recursive: true })
    return home
  }
  const nothing = readProfiles(start)
  const counted = copy()
  const file = join(temporaryFolder(), 'count')
  expect(svc(counted, typed, { SVC_TEST_BELOW: counted, SVC_TEST_COUNT: file }).status).toBe(0)
  const all = readProfiles(counted)
  expect(all).not.toEqual(nothing)
  const count = readFileSync(file, 'utf8').split('\n').length
  const steps = Array.from({ length: count }, (_, at) => at + 1).filter((at) => at === count || isToday(at, PARTS))
  for (const at of steps) {
    const home = copy()
    const killed = svc(home, typed, { SVC_TEST_BELOW: home, SVC_TEST_KILL_AT: String(at) })
    expect(killed.signal, `killed before change ${at} of ${count}, day ${DAY}`).toBe('SIGKILL')
    // Any change of profiles completes or takes away what was left; this one is refused after that.
    expect(svc(home, ['-p', 'default', 'profile', 'use', 'nope']).status).toBe(1)
    const left = readProfiles(home)
    const isWhole = [nothing, all].some((state) => JSON.stringify(state) === JSON.stringify(left))
    expect(isWhole, `after a kill before change ${at}: ${JSON.stringify(left)}`).toBe(true)
    expect(readdirSync(join(home, 'profiles')).filter((name) => name.startsWith('.'))).toEqual([])
  }
})
