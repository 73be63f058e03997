/** The built program with folders on a read-only file system: it says so in words, and what was there is there. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const PARTS = ['skills', 'skill-bundles', 'mcp-tokens']
const skill = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: Does ${name}. Use it in tests of ${name}.\n---\n\n${body}\n`

/** A mount of a folder over itself, which is changed to read-only: root of the machine, or of a name space, may do that. */
const makeReadOnly = (folder: string) => `mount --bind "${folder}" "${folder}" && mount -o remount,ro,bind "${folder}"`

function canMount(): boolean {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  try {
    const tried = `${makeReadOnly(folder)} && ! touch "${folder}/x"`
    execFileSync('unshare', ['-Urm', 'sh', '-c', tried], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function openHome() {
  const home = temporaryFolder()
  const source = join(temporaryFolder(), 'tidy')
  const other = join(temporaryFolder(), 'other')
  writeFiles(home, { '.no-bundled-skills': '', 'config.yaml': 'display: {}\n' })
  for (const part of PARTS) mkdirSync(join(home, part), { recursive: true })
  writeFiles(source, { 'SKILL.md': skill('tidy', 'first') })
  writeFiles(other, { 'SKILL.md': skill('other', 'first') })
  const run = (words: readonly string[], readOnly: readonly string[]) => {
    const mounts = readOnly.map((part) => `${makeReadOnly(join(home, part))} && `).join('')
    const argv = ['-Urm', 'sh', '-c', `${mounts}exec "$@"`, 'sh', process.execPath]
    const env = { PATH: process.env['PATH'], SVC_HOME: home }
    const program = [join(root, 'dist/kernel/bin.cjs'), ...words]
    const { status, stdout, stderr } = spawnSync('unshare', [...argv, ...program], {
      ...{ cwd: root, env, input: '', encoding: 'utf8', timeout: 60_000 },
    })
    return { code: status, out: stdout, err: stderr }
  }
  const files = () => {
    const all = PARTS.flatMap((part) => readdirSync(join(home, part), { recursive: true, withFileTypes: true }))
    const found = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return [...found, join(home, 'config.yaml')].sort().map((file) => [file, readFileSync(file, 'utf8')])
  }
  return { home, source, other, run, files }
}

test('skills, taps and bundles on a read-only disk are not changed, and each command says why', (context) => {
  if (!canMount()) return context.skip('no folder can be made read-only here')
  const { source, other, run, files } = openHome()
  expect(run(['skills', 'install', source, '--yes'], []).code).toBe(0)
  writeFileSync(join(source, 'SKILL.md'), skill('tidy', 'second'))
  const before = files()
  const cases: readonly [readonly string[], string][] = [
    [['skills', 'install', other, '--yes'], 'SKILL_HUB_DISK'],
    [['skills', 'update', 'tidy', '--yes'], 'SKILL_HUB_DISK'],
    [['skills', 'remove', 'tidy', '--yes'], 'SKILL_HUB_DISK'],
    [['skills', 'tap', 'add', 'owner/skills'], 'SKILL_HUB_DISK'],
    [['skills', 'opt-in', '--sync'], 'SKILL_SEEDS_WRITE'],
    [['bundles', 'create', 'both', '--skill', 'tidy'], 'BUNDLE_DISK'],
  ]
  for (const [words, code] of cases) {
    const said = run(words, PARTS)
    expect({ words, ...said }).toMatchObject({ code: 1, out: expect.not.stringMatching(/nstalled \w|Added|Removed/) })
    expect(said.err).toContain(`(${code})`)
    expect(said.err).toMatch(/cannot be written|could not be changed/)
    expect(said.err).not.toContain('    at ')
  }
  expect(files()).toEqual(before)
  expect(run(['skills', 'list'], PARTS)).toMatchObject({ code: 0, out: expect.stringContaining('tidy') })
  expect(run(['skills', 'update', 'tidy', '--yes'], []).code).toBe(0)
})

test('a home on a read-only disk is refused before anything is asked or fetched', (context) => {
  if (!canMount()) return context.skip('no folder can be made read-only here')
  const { source, run, files } = openHome()
  const before = files()
  for (const words of [
    ['mcp', 'install', 'memory', '--yes'],
    ['mcp', 'login', 'far'],
    ['skills', 'install', source, '--yes'],
  ]) {
    const { code, out, err } = run(words, ['.'])
    expect({ words, code, out }).toEqual({ words, code: 1, out: '' })
    expect(err).toMatch(/cannot be used: EROFS.*set SVC_HOME to another folder\. \(HOME_UNUSABLE\)/)
  }
  expect(files()).toEqual(before)
})
