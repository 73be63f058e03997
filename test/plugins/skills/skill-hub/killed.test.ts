/** The built program, killed while it installs or updates a skill: the skill is whole, and what is left in quarantine is cleared away. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { DAY, isToday } from '../../../support/today.ts'

/** One kill of so many is tried a day; the first and the last are tried every day. */
const PARTS = 24
const preload = join(root, 'test/faults/kill-at-write.cjs')
const text = (body: string) => `---\nname: tidy\ndescription: Tidies up. Use it in tests.\n---\n\n${body}\n`

function svc(home: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const argv = [...(env['SVC_TEST_BELOW'] ? ['--require', preload] : []), join(root, 'dist/kernel/bin.cjs'), ...words]
  const variables = { PATH: process.env['PATH'], SVC_HOME: home, ...env }
  return spawnSync(process.execPath, argv, { cwd: home, env: variables, input: '', encoding: 'utf8', timeout: 60_000 })
}

const write = (folder: string, body: string) =>
  writeFiles(folder, { 'SKILL.md': text(body), 'scripts/a.sh': `echo ${body}\n` })

/** `first` or `second` for a whole version. */
function read(home: string): string | undefined {
  const folder = join(home, 'skills/tidy')
  if (!existsSync(folder)) return undefined
  const body = readFileSync(join(folder, 'SKILL.md'), 'utf8').trim().split('\n').at(-1)
  expect(readFileSync(join(folder, 'scripts/a.sh'), 'utf8')).toBe(`echo ${body}\n`)
  return body
}

test.for(['install', 'update'] as const)('%s killed at any step can be run again', { timeout: 300_000 }, (verb) => {
  const source = join(temporaryFolder(), 'tidy')
  const before = temporaryFolder()
  writeFileSync(join(before, '.no-bundled-skills'), '')
  mkdirSync(join(before, 'skills'))
  write(source, 'first')
  if (verb === 'update') {
    expect(svc(before, ['skills', 'install', source, '--yes']).status).toBe(0)
    write(source, 'second')
  }
  const words = ['skills', verb, verb === 'install' ? source : 'tidy', '--yes']
  const [old, fresh] = verb === 'install' ? [undefined, 'first'] : ['first', 'second']
  const copy = () => {
    const home = temporaryFolder()
    cpSync(before, home, { recursive: true })
    return home
  }
  const counted = copy()
  const file = join(temporaryFolder(), 'count')
  expect(svc(counted, words, { SVC_TEST_BELOW: join(counted, 'skills'), SVC_TEST_COUNT: file }).status).toBe(0)
  const count = readFileSync(file, 'utf8').split('\n').length
  expect(count).toBeGreaterThan(8)
  const steps = Array.from({ length: count }, (_, at) => at + 1).filter(
    (at) => at === 1 || at === count || isToday(at, PARTS),
  )
  for (const at of steps) {
    const home = copy()
    const killed = svc(home, words, { SVC_TEST_BELOW: join(home, 'skills'), SVC_TEST_KILL_AT: String(at) })
    expect(killed.signal, `killed before change ${at} of ${count}, day ${DAY}`).toBe('SIGKILL')
    expect([old, fresh, undefined]).toContain(read(home))
    const again = svc(home, words)
    if (again.status !== 0) expect(again.stderr).toContain('SKILL_EXISTS')
    expect(read(home), `after change ${at}`).toBe(fresh)
    const checked = JSON.parse(svc(home, ['skills', 'check', '--json']).stdout)
    expect(checked.skills).toMatchObject([{ name: 'tidy', status: 'up_to_date', local: 'unchanged' }])
    // A folder whose owner had not been written yet is kept for a day.
    const left = readdirSync(join(home, 'skills/.hub/quarantine')).filter(
      (name) => readdirSync(join(home, 'skills/.hub/quarantine', name)).length > 0,
    )
    expect(left, `killed before change ${at} of ${count}`).toEqual([])
  }
})
