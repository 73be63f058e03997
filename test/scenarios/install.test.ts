/** Stories of `install.sh`: whole installations, single stages, pins, and what goes wrong. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createGitRepository } from '../support/git-repository.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { isToday } from '../support/today.ts'

const script = join(root, 'install.sh')

/** A repository with the parts of svc that an installation needs: a lock file and a build that makes the entry file. */
function createRepository(place: string) {
  const repository = createGitRepository(join(place, 'remote'))
  const build = `import { mkdirSync, writeFileSync, readFileSync } from 'node:fs'
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
mkdirSync('dist/kernel', { recursive: true })
writeFileSync('dist/kernel/bin.cjs', '#!/usr/bin/env node\\nconsole.log("' + version + '")\\n')
`
  const publish = (version: string, ...tags: string[]) =>
    repository.commit(
      {
        'build.mjs': build,
        'package.json': JSON.stringify({ name: 'svc', version, scripts: { build: 'node build.mjs' } }),
        'package-lock.json': JSON.stringify({
          ...{ name: 'svc', version, lockfileVersion: 3, requires: true },
          packages: { '': { name: 'svc', version } },
        }),
      },
      ...tags,
    )
  return { ...repository, address: repository.url.replace('git+', ''), publish }
}

function install(place: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const variables = { PATH: process.env['PATH'], HOME: place, npm_config_cache: join(place, 'npm-cache'), ...env }
  const options = { cwd: place, env: variables, input: '', encoding: 'utf8', timeout: 120_000 } as const
  const { status, stdout, stderr } = spawnSync('sh', [script, ...words], options)
  const results = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Result)
  return { status, results, err: stderr }
}

interface Result {
  readonly stage: string
  readonly ok: boolean
  readonly skipped: boolean
  readonly reason: string | null
}

const dir = (place: string) => join(place, '.local/share/svc')
const git = (place: string, ...words: string[]) =>
  spawnSync('git', ['-C', dir(place), ...words], { encoding: 'utf8' }).stdout.trim()

test.runIf(isToday(0, 3))(
  'every stage of the manifest runs, and the command works afterwards',
  { timeout: 120_000 },
  () => {
    const place = temporaryFolder()
    const repository = createRepository(place)
    repository.publish('1.0.0')
    const manifest = spawnSync('sh', [script, '--manifest'], { encoding: 'utf8' })
    const { protocol_version: protocol, stages } = JSON.parse(manifest.stdout.trim().split('\n').at(-1) ?? '') as {
      protocol_version: number
      stages: { name: string; needs_user_input: boolean }[]
    }
    expect(protocol).toBe(1)
    const words = ['--repository', repository.address, '--json', '--non-interactive']
    for (const { name, needs_user_input: needsInput } of stages) {
      const { status, results, err } = install(place, ['--stage', name, ...words])
      expect({ status, results }, err).toMatchObject({
        status: 0,
        results: [{ stage: name, ok: true, skipped: needsInput }],
      })
    }
    const said = spawnSync(join(place, '.local/bin/svc'), ['--version'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })
    expect(said.stdout).toBe('1.0.0\n')
    expect(readFileSync(join(dir(place), '.install_method'), 'utf8')).toBe('git\n')
    const again = install(place, ['--stage', 'repository', ...words])
    expect(again.results).toMatchObject([{ ok: true, skipped: true, reason: expect.stringContaining('svc update') }])
  },
)

test.runIf(isToday(1, 3))(
  'a commit goes before a tag, a tag before a branch, and each leaves a detached checkout',
  {
    timeout: 120_000,
  },
  () => {
    const place = temporaryFolder()
    const repository = createRepository(place)
    const first = repository.publish('1.0.0')
    const second = repository.publish('2.0.0', 'v2')
    const third = repository.publish('3.0.0')
    const pins: [string, string, ...string[]][] = [
      [first, '', '--commit', first, '--tag', 'v2', '--branch', 'main'],
      [second, '', '--tag', 'v2', '--branch', 'main'],
      [third, 'main', '--branch', 'main'],
    ]
    for (const [number, [commit, followed, ...words]] of pins.entries()) {
      const home = join(place, String(number))
      mkdirSync(home)
      const { status, err } = install(home, ['--stage', 'repository', '--repository', repository.address, ...words])
      expect(status, err).toBe(0)
      expect(git(home, 'rev-parse', 'HEAD')).toBe(commit)
      expect(git(home, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD')
      expect(git(home, 'config', '--get', 'svc.branch')).toBe(followed)
    }
    expect(git(place, 'status')).toBe('')
  },
)

test.runIf(isToday(2, 3))(
  'what cannot be installed says why, leaves nothing, and can be tried again',
  { timeout: 120_000 },
  () => {
    const place = temporaryFolder()
    const repository = createRepository(place)
    repository.publish('1.0.0')
    const stage = ['--json', '--stage', 'repository', '--repository']
    const missing = install(place, [...stage, join(place, 'nowhere')])
    expect(missing).toMatchObject({
      status: 1,
      results: [{ ok: false, reason: expect.stringContaining('cannot be cloned') }],
    })
    const tag = install(place, [...stage, repository.address, '--tag', 'v9'])
    expect(tag).toMatchObject({ status: 1, results: [{ ok: false, reason: expect.stringContaining('has no v9') }] })
    expect(existsSync(dir(place)) || existsSync(`${dir(place)}.part`)).toBe(false)
    mkdirSync(`${dir(place)}.part`, { recursive: true })
    writeFileSync(join(`${dir(place)}.part`, 'half'), 'of a clone that was killed')
    expect(install(place, [...stage, repository.address]).status).toBe(0)
    expect(existsSync(join(dir(place), 'half'))).toBe(false)

    const other = join(place, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'mine.txt'), 'x')
    const taken = install(place, [...stage, repository.address, '--dir', other])
    expect(taken).toMatchObject({ status: 1, results: [{ reason: expect.stringContaining('is not empty') }] })
    expect(readdirSync(other)).toEqual(['mine.txt'])
    const early = install(place, ['--json', '--stage', 'command'])
    expect(early).toMatchObject({ status: 1, results: [{ reason: expect.stringContaining('stage build first') }] })
    mkdirSync(join(place, '.local/bin'), { recursive: true })
    writeFileSync(join(place, '.local/bin/svc'), 'a program of mine')
    expect(install(place, ['--json', '--stage', 'build']).status).toBe(0)
    const own = install(place, ['--json', '--stage', 'command'])
    expect(own).toMatchObject({ status: 1, results: [{ reason: expect.stringContaining('is no link') }] })
    expect(readFileSync(join(place, '.local/bin/svc'), 'utf8')).toBe('a program of mine')
    for (const words of [['--stage', 'nothing'], ['--comit', 'x'], ['--branch'], ['--tag', '--json']])
      expect(install(place, words).status, words.join(' ')).toBe(2)
    mkdirSync(join(place, 'old'))
    writeFileSync(join(place, 'old/node'), '#!/bin/sh\n[ "$1" = --version ] && echo v18.0.0\n', { mode: 0o755 })
    const old = install(place, ['--json', '--stage', 'node'], { PATH: `${join(place, 'old')}:${process.env['PATH']}` })
    expect(old).toMatchObject({ status: 1, results: [{ reason: expect.stringContaining('Node v18.0.0 is too old') }] })
  },
)

test('the container image is built from files that are there, and runs without the rights of root', () => {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = '']) => words.split(' '))
  expect(copied.length).toBeGreaterThan(0)
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(text.slice(text.lastIndexOf('FROM'))).toMatch(/^USER node$/m)
  const compose = parse(readFileSync(join(root, 'compose.yaml'), 'utf8')) as {
    services: { svc: { build: string; command: string[]; volumes: string[] } }
    volumes: object
  }
  expect(compose.services.svc).toMatchObject({ build: '.', command: ['gateway', 'run'], volumes: ['svc-data:/data'] })
  expect(Object.keys(compose.volumes)).toEqual(['svc-data'])
  expect(text).toMatch(/^ENV SVC_HOME=\/data$/m)
})
