/** Built-in skills by the built program: what a start does, what it costs, and what a kill leaves. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashFolder } from '../../../../plugins/skills/skill-seeds/tree.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { DAY, isToday } from '../../../support/today.ts'

/** One kill of so many is tried a day; the first and the last are tried every day. */
const PARTS = 12
const preload = join(root, 'test/faults/kill-at-write.cjs')

/** An installation of svc with skills of its own, so that there can be a newer release. */
function install(): { readonly folder: string; release(texts: Readonly<Record<string, string>>): void } {
  const folder = temporaryFolder()
  for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const source = join(folder, 'builtin-skills')
  return {
    folder,
    release(texts) {
      rmSync(source, { recursive: true, force: true })
      const entries = Object.entries(texts).map(([name, text]) => {
        const head = `---\nname: ${name}\ndescription: Says ${text}. Use it in tests.\n---\n`
        writeFiles(join(source, 'tests', name), { 'SKILL.md': `${head}${text}\n`, 'scripts/a.sh': `echo ${text}\n` })
        return [`tests/${name}`, hashFolder(join(source, 'tests', name))]
      })
      writeFiles(source, { 'index.json': JSON.stringify(Object.fromEntries(entries)) })
    },
  }
}

function svc(folder: string, home: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const argv = [...(env['SVC_TEST_BELOW'] ? ['--require', preload] : []), join(folder, 'dist/kernel/bin.cjs'), ...words]
  const variables = { PATH: process.env['PATH'], SVC_HOME: home, ...env }
  return spawnSync(process.execPath, argv, { cwd: home, env: variables, input: '', encoding: 'utf8', timeout: 60_000 })
}

/** `first` or `second` for a whole copy of a release, `mine` for the edited one; undefined when there is none. */
function read(home: string, name: string): string | undefined {
  const folder = join(home, 'skills/tests', name)
  if (!existsSync(folder)) return undefined
  const text = readFileSync(join(folder, 'SKILL.md'), 'utf8').trim().split('\n').at(-1)
  if (text !== 'mine') expect(readFileSync(join(folder, 'scripts/a.sh'), 'utf8')).toBe(`echo ${text}\n`)
  return text
}

test('the first start copies the skills, and a later one reads two small files', () => {
  const home = temporaryFolder()
  const first = svc(root, home, ['skills', 'list', '--json'])
  expect(first.status).toBe(0)
  expect(first.stdout).toContain('telephony')
  expect(existsSync(join(home, 'skills/communication/telephony/scripts/phone.py'))).toBe(true)
  const counts = join(temporaryFolder(), 'counts.json')
  const argv = [
    '--require',
    join(root, 'test/support/count-work.cjs'),
    join(root, 'dist/kernel/bin.cjs'),
    'skills',
    'list',
  ]
  const env = { PATH: process.env['PATH'], SVC_HOME: home, WORK_COUNTS: counts }
  expect(spawnSync(process.execPath, argv, { cwd: home, env, input: '' }).status).toBe(0)
  const { opened } = JSON.parse(readFileSync(counts, 'utf8')) as { opened: Record<string, number> }
  const files = Object.keys(opened).filter((path) => path.startsWith(join(root, 'builtin-skills')))
  expect(files).toEqual([join(root, 'builtin-skills/index.json')])
  // An opted-out home stays without them.
  const out = temporaryFolder()
  writeFileSync(join(out, '.no-bundled-skills'), '')
  expect(svc(root, out, ['skills', 'list']).status).toBe(0)
  expect(existsSync(join(out, 'skills'))).toBe(false)
})

test('a home that cannot take the skills does not keep svc from its work', () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'skills'), 'a file')
  expect(svc(root, home, ['sessions', 'list']).status).toBe(0)
  const { status, stderr } = svc(root, home, ['skills', 'sync'])
  expect(status).toBe(1)
  expect(stderr).toContain('could not be changed')
  expect(readFileSync(join(home, 'skills'), 'utf8')).toBe('a file')
})

const cases = [
  { words: ['skills', 'sync'], after: { one: 'second', two: 'mine', three: undefined, four: 'second' } },
  {
    words: ['skills', 'opt-out', '--remove', '--yes'],
    after: { one: undefined, two: 'mine', three: undefined, four: undefined },
  },
] as const

test.for(cases)(
  '$words killed at any step leaves each skill whole, and can be run again',
  { timeout: 300_000 },
  (each) => {
    const { folder, release } = install()
    release({ one: 'first', two: 'first', three: 'first' })
    const before = temporaryFolder()
    expect(svc(folder, before, ['skills', 'sync']).status).toBe(0)
    const edited = join(before, 'skills/tests/two/SKILL.md')
    writeFileSync(edited, readFileSync(edited, 'utf8').replace(/first\n$/, 'mine\n'))
    rmSync(join(before, 'skills/tests/three'), { recursive: true })
    release({ one: 'second', two: 'second', three: 'second', four: 'second' })
    const copy = () => {
      const home = temporaryFolder()
      cpSync(before, home, { recursive: true })
      return home
    }
    const counted = copy()
    const file = join(temporaryFolder(), 'count')
    expect(svc(folder, counted, each.words, { SVC_TEST_BELOW: counted, SVC_TEST_COUNT: file }).status).toBe(0)
    const count = readFileSync(file, 'utf8').split('\n').length
    expect(count).toBeGreaterThan(8)
    const steps = Array.from({ length: count }, (_, at) => at + 1).filter(
      (at) => at === 1 || at === count || isToday(at, PARTS),
    )
    for (const at of steps) {
      const home = copy()
      const killed = svc(folder, home, each.words, { SVC_TEST_BELOW: home, SVC_TEST_KILL_AT: String(at) })
      expect(killed.signal, `killed before change ${at} of ${count}, day ${DAY}`).toBe('SIGKILL')
      expect(['first', 'second', undefined]).toContain(read(home, 'one'))
      expect([read(home, 'two'), read(home, 'three')]).toEqual(['mine', undefined])
      expect(['second', undefined]).toContain(read(home, 'four'))
      expect(svc(folder, home, each.words).status).toBe(0)
      const names = ['one', 'two', 'three', 'four'] as const
      expect(Object.fromEntries(names.map((name) => [name, read(home, name)])), `after change ${at}`).toEqual(
        each.after,
      )
      expect(existsSync(join(home, 'skills/.seeding'))).toBe(false)
    }
  },
)
