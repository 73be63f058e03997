/** Backups and restores that are killed, that meet a full disk, and that are made while svc is in use. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { needNamespaces } from '../support/namespaces.ts'
import { root } from '../support/repository.ts'
import { readTree, temporaryFolder, writeFiles } from '../support/temporary.ts'
import { DAY, isToday } from '../support/today.ts'

/** One kill of so many is tried a day; the last is tried every day. */
const PARTS = 12
const bin = join(root, 'dist/kernel/bin.cjs')
const preload = join(root, 'test/faults/kill-at-write.cjs')

function svc(place: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const argv = [...(env['SVC_TEST_BELOW'] ? ['--require', preload] : []), bin, ...words]
  const variables = { PATH: process.env['PATH'], HOME: place, SVC_HOME: join(place, 'home'), ...env }
  return spawnSync(process.execPath, argv, { cwd: place, env: variables, input: '', encoding: 'utf8', timeout: 60_000 })
}

const old = { 'config.yaml': 'model:\n  provider: demo\n', 'SOUL.md': 'old', 'skills/a/SKILL.md': 'a' }
const passing = /^(cache|logs|run|data\/kernel)\//

/** What a person has in a home. */
function readHome(place: string): Record<string, string> {
  const tree = existsSync(join(place, 'home')) ? readTree(join(place, 'home')) : {}
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !passing.test(path)))
}

/** A home with a backup of an earlier state of it. */
function prepare(): string {
  const place = temporaryFolder()
  writeFiles(join(place, 'home'), { ...old, 'SOUL.md': 'earlier', 'skills/b/SKILL.md': 'b' })
  expect(svc(place, ['backup', 'create', '-o', join(place, 'earlier.tar.gz')])).toMatchObject({ status: 0 })
  execFileSync('rm', ['-r', join(place, 'home/skills/b')])
  writeFiles(join(place, 'home'), old)
  return place
}

const cases = [
  { words: ['backup', 'create'], before: [] },
  { words: ['backup', 'restore', 'earlier.tar.gz', '--yes'], before: [] },
  { words: ['backup', 'restore', '--undo', '--yes'], before: ['backup', 'restore', 'earlier.tar.gz', '--yes'] },
]

test.for(cases)('$words killed at any step leaves one home, whole', { timeout: 240_000 }, ({ words, before }) => {
  const start = prepare()
  if (before.length > 0) expect(svc(start, before)).toMatchObject({ status: 0 })
  const copy = () => {
    const place = temporaryFolder()
    cpSync(start, place, { recursive: true })
    return place
  }
  const nothing = readHome(start)
  const counted = copy()
  const file = join(temporaryFolder(), 'count')
  expect(svc(counted, words, { SVC_TEST_BELOW: counted, SVC_TEST_COUNT: file })).toMatchObject({ status: 0 })
  const all = readHome(counted)
  const steps = readFileSync(file, 'utf8').split('\n')
  expect(steps.length).toBeGreaterThanOrEqual(3)
  let killed = 0
  for (let step = 1; step <= steps.length; step++) {
    if (step !== steps.length && !isToday(step, PARTS)) continue
    const place = copy()
    const { signal } = svc(place, words, { SVC_TEST_BELOW: place, SVC_TEST_KILL_AT: String(step) })
    if (signal === 'SIGKILL') killed++
    const what = `SVC_FAULTS_DAY=${DAY}, killed before ${step}: ${steps[step - 1]}`
    // The next command of any kind finds a home that is whole.
    expect(svc(place, ['profile', 'list']).status, what).toBe(0)
    const found = readHome(place)
    expect([nothing, all], what).toContainEqual(found)
    expect(svc(place, words).status, what).toBe(0)
    expect([nothing, all], what).toContainEqual(readHome(place))
  }
  expect(killed).toBeGreaterThan(0)
})

test('backups that are made while people ask questions hold every question that was answered before', {
  timeout: 180_000,
}, async () => {
  const place = temporaryFolder()
  writeFiles(join(place, 'home'), old)
  const ask = async (text: string) => {
    const child = spawn(process.execPath, [bin, 'chat', '-q', text], {
      cwd: place,
      env: { PATH: process.env['PATH'], HOME: place, SVC_HOME: join(place, 'home') },
      stdio: 'ignore',
    })
    await once(child, 'exit')
  }
  await ask('question 0')
  const answered = ['question 0']
  let isOver = false
  const asking = (async () => {
    for (let count = 1; !isOver; count++) {
      await ask(`question ${count}`)
      answered.push(`question ${count}`)
    }
  })()
  const rounds = process.env['SVC_FAULTS'] === 'all' ? 12 : 2
  for (let round = 0; round < rounds; round++) {
    const known = [...answered]
    const child = spawn(process.execPath, [bin, 'backup', 'create', '-o', join(place, `${round}.tar.gz`), '--json'], {
      cwd: place,
      env: { PATH: process.env['PATH'], HOME: place, SVC_HOME: join(place, 'home') },
    })
    let out = ''
    child.stdout.on('data', (text) => {
      out += text
    })
    expect(await once(child, 'close')).toEqual([0, null])
    expect(JSON.parse(out)).toMatchObject({ ok: true, warnings: [] })
    const copy = join(place, `copy-${round}`)
    const restored = spawnSync(process.execPath, [bin, 'backup', 'restore', `${round}.tar.gz`, '--to', copy], {
      cwd: place,
      env: { PATH: process.env['PATH'], HOME: place, SVC_HOME: join(place, 'home') },
    })
    expect(restored.status).toBe(0)
    await using kernel = await testKernel({ plugins: ['sessions'], home: copy })
    const asked = kernel
      .use(Sessions)
      .list({ limit: 1000 })
      .flatMap(({ id }) => kernel.use(Sessions).open(id).history())
      .filter(({ role }) => role === 'user')
      .map((message) => JSON.stringify(message))
    for (const question of known)
      expect(
        asked.some((text) => text.includes(`${question}"`)),
        question,
      ).toBe(true)
  }
  isOver = true
  await asking
})

test('a full disk leaves no part of a backup, and the home as it was', { timeout: 60_000 }, (context) => {
  needNamespaces(context)
  const place = temporaryFolder()
  writeFiles(join(place, 'home'), old)
  // Random, so that it cannot be compressed; the look at free space lets it begin.
  const random = randomBytes(3_000_000)
  mkdirSync(join(place, 'home/skills/big'), { recursive: true })
  writeFileSync(join(place, 'home/skills/big/data'), random)
  const made = svc(place, ['backup', 'create', '-o', join(place, 'x.tar.gz')])
  expect(made.status).toBe(0)
  const small = join(place, 'small')
  mkdirSync(small)
  const script = `mount -t tmpfs -o size=1m,mode=700 tmpfs "${small}"
    "$@" backup create -o "${small}/y.tar.gz"; echo "code $?"; ls -A "${small}" | sed 's/^/left /'
    "$@" backup restore "${place}/x.tar.gz" --to "${small}/home"; echo "code $?"; ls -A "${small}" | sed 's/^/left /'`
  const { stdout, stderr } = spawnSync('unshare', ['-Urm', 'bash', '-c', script, 'bash', process.execPath, bin], {
    env: { PATH: process.env['PATH'], HOME: place, SVC_HOME: join(place, 'home') },
    encoding: 'utf8',
  })
  expect(stdout).toBe('code 1\ncode 1\n')
  expect(stderr).toMatch(
    /The backup was not made: ENOSPC.*BACKUP_FAILED[\s\S]*The backup was not restored: ENOSPC.*Nothing was changed.*BACKUP_FAILED/,
  )
})

test('a backup of a profile is restored in that profile only', { timeout: 60_000 }, () => {
  const place = temporaryFolder()
  writeFiles(join(place, 'home'), { ...old, 'profiles/work/SOUL.md': 'work' })
  expect(svc(place, ['-p', 'work', 'backup', 'create'])).toMatchObject({ status: 0 })
  const [file = ''] = readdirSync(join(place, 'home-backups'))
  expect(file).toMatch(/^svc-work-/)
  expect(svc(place, ['-p', 'default', 'backup', 'restore', file, '--yes']).stderr).toContain('Restore with -p work')
  writeFiles(join(place, 'home'), { 'profiles/work/SOUL.md': 'later' })
  expect(svc(place, ['-p', 'work', 'backup', 'restore', file, '--yes'])).toMatchObject({ status: 0 })
  expect(readHome(place)).toMatchObject({ 'SOUL.md': 'old', 'profiles/work/SOUL.md': 'work' })
  expect(svc(place, ['profile', 'list', '--json']).stdout).not.toContain('before')
})
