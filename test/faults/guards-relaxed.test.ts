/** A setting that leaves out what a guard is there for is reported at every start, in /status and by the gateway. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingTmux, Tmux } from '../support/tmux.ts'
import { SabotagedBuild } from './guards-build.ts'
import { disabled, GuardCase, type Way, whole } from './guards-case.ts'
import { throughGateway } from './guards-gateway.ts'

let build: SabotagedBuild
beforeAll(() => {
  build = new SabotagedBuild()
})
afterAll(() => build.close())

/** What a conversation says on both streams; lines are typed when no question is given. */
async function chat(it: GuardCase, words: readonly string[], lines = ''): Promise<string> {
  const child = spawn(process.execPath, [it.bin, 'chat', ...words], { cwd: it.project, env: it.environment })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  child.stdin.end(lines)
  await once(child, 'close')
  return said
}

async function inHome<T>(config: Way['config'], work: (it: GuardCase) => Promise<T>): Promise<T> {
  const it = await GuardCase.open(build, { ...whole, ...(config && { config }) })
  try {
    return await work(it)
  } finally {
    await it.close()
  }
}

const settings = [
  ['mode', 'off', 'approvals.mode is off', 'svc config set approvals.mode manual'],
  ['cron_mode', 'approve', 'approvals.cron_mode is approve', 'svc config set approvals.cron_mode deny'],
  ['unknown', 'allow', 'approvals.unknown is allow', 'svc config set approvals.unknown ask'],
] as const

test.each(settings)('approvals.%s: %s is said at every start with the way back', async (key, value, what, back) => {
  await inHome({ approvals: { [key]: value } }, async (it) => {
    for (const start of ['one', 'two']) {
      const said = await chat(it, ['-q', it.prepare(start)])
      expect(said.split(what)).toHaveLength(2)
      expect(said).toContain(back)
      expect(it.effects(start)).toMatchObject({ wrote: true, crossed: false, deleted: key === 'mode' })
    }
  })
})

test('two such settings are both said, and default settings say nothing', async () => {
  const both = await inHome({ approvals: { mode: 'off', cron_mode: 'approve' } }, (it) => chat(it, ['-q', 'hello']))
  expect(both).toContain('approvals.mode is off')
  expect(both).toContain('approvals.cron_mode is approve')
  expect(await inHome(undefined, (it) => chat(it, ['-q', 'hello']))).toBe('Nothing was asked.\n')
})

test('--yolo is said once in each conversation', async () => {
  await inHome(undefined, async (it) => {
    for (const start of ['one', 'two']) {
      const said = await chat(it, ['--yolo', '-q', it.prepare(start)])
      expect(said.split('svc was started with --yolo')).toHaveLength(2)
      expect(it.effects(start)).toMatchObject({ deleted: true, crossed: false })
    }
  })
})

test.skipIf(missingTmux() !== undefined)('/status says it', async () => {
  await inHome({ approvals: { mode: 'off' } }, async (it) => {
    const command = [process.execPath, it.bin, 'chat', '--plain']
    const env = { ...it.environment, TERM: 'xterm-256color' }
    const tmux = new Tmux({ command, columns: 160, rows: 40, cwd: it.project, env })
    try {
      await tmux.shows(/[>❯›]\s*$/m)
      tmux.line('/status')
      expect(await tmux.shows(/Messages:/)).toMatch(/Not guarded: approvals \(relaxed\): approvals\.mode is off/)
    } finally {
      await tmux.close()
    }
  })
})

test('the gateway says it at the start, in its status and in its health', async () => {
  const way: Way = { ...disabled({ name: 'nothing-of-this-name' }), config: {} }
  const { said, status, health } = await throughGateway(build, way, {
    approvals: { mode: 'off', cron_mode: 'approve' },
  })
  expect(said).toContain('approvals.mode is off')
  const reason = expect.stringMatching(/approvals\.mode is off.*approvals\.cron_mode is approve/)
  const entry = expect.objectContaining({ plugin: 'approvals', state: 'relaxed', reason })
  expect(status).toMatchObject({ unguarded: [entry] })
  expect(health).toMatchObject({ readiness: { checks: { guards: { status: 'degraded', not_running: [entry] } } } })
})
