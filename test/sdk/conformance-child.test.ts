import { type ConformanceReport, conformanceInChild } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { createSetup, pluginFolder } from './plugin-folders.ts'

const failed = ({ cases }: ConformanceReport) => cases.filter(({ result }) => result === 'failed')
const code = 'its code can be imported, and starts nothing by itself'
const load = 'it is set up and starts within the time limits'

test('a sound plugin passes in its own process, and each case is told as it goes', async () => {
  const told: string[] = []
  const report = await conformanceInChild(pluginFolder({}), {
    onStart: (name) => void told.push(name),
    onEnd: ({ name, result }) => void told.push(`${result} ${name}`),
  })
  expect({ failed: failed(report), plugin: report.plugin, ok: report.ok }).toEqual({
    failed: [],
    plugin: 'guest',
    ok: true,
  })
  expect(told.slice(2, 4)).toEqual([code, `ok ${code}`])
})

test.for<[string, string, string, RegExp]>([
  [
    'ends the process',
    createSetup('console.error("bye"); process.exit(3)'),
    load,
    /^it ended the process \(exit code 3\): bye/,
  ],
  ['kills the process', createSetup('process.kill(process.pid, "SIGKILL")'), load, /^it ended the process \(SIGKILL\)/],
  [
    'throws where nobody catches it',
    createSetup('setTimeout(() => { throw new Error("stray") }, 5); ctx.onStart(() => new Promise(() => {}))'),
    load,
    /^it ended the process \(exit code 1\): .*Error: stray/s,
  ],
  ['starts a timer at import', `setInterval(() => {}, 1000)\n${createSetup('')}`, code, /^its import starts: Timeout/],
])('a plugin that %s is stopped, and the case is named', async ([, index, name, reason]) => {
  const report = await conformanceInChild(pluginFolder({ index }))
  expect(failed(report)[0]).toEqual({ name, result: 'failed', reason: expect.stringMatching(reason) })
  expect(report.ok).toBe(false)
})

test('a plugin sees neither secrets of the environment nor the home', async () => {
  process.env['GUEST_SECRET'] = 'k'
  const index = createSetup('throw new Error(`${process.env.GUEST_SECRET} ${process.env.HOME}`)')
  const report = await conformanceInChild(pluginFolder({ index }))
  delete process.env['GUEST_SECRET']
  expect(failed(report)[0]?.reason).toMatch(/setup: undefined .*svc-conformance-/)
})

test('a plugin that blocks everything at import is ended when its time is over, and the case is named', async () => {
  const report = await conformanceInChild(pluginFolder({ index: 'while (true) {}' }), { timeoutMs: 6000 })
  expect(failed(report)).toEqual([{ name: code, result: 'failed', reason: 'it did not end within 6 s' }])
})

test('an import that never settles ends with its deadline, and the case says what to move where', async () => {
  const report = await conformanceInChild(pluginFolder({ index: `await new Promise(() => {})\n${createSetup('')}` }))
  const reason =
    'importing it, with what it awaits at the top level (to connect or wait, use onStart), took longer than'
  expect(failed(report)).toEqual([{ name: code, result: 'failed', reason: expect.stringContaining(reason) }])
})

test('a program that the plugin left behind with the pipes of the kit does not keep the report back', async () => {
  const index = `import { spawn } from 'node:child_process'
    const left = spawn('sleep', ['300'], { detached: true, stdio: [0, 1, 2, 3] })
    left.unref()
    ${createSetup('console.error(`left ${left.pid}`); process.exit(3)')}`
  const report = await conformanceInChild(pluginFolder({ index }))
  const [last] = failed(report)
  expect(last).toMatchObject({ name: load, reason: expect.stringContaining('it ended the process (exit code 3)') })
  process.kill(Number(/left (\d+)/.exec(last?.reason ?? '')?.[1]))
})

test('anyone who waits for a plugin that blocks everything can end it', async () => {
  const abort = new AbortController()
  const report = await conformanceInChild(pluginFolder({ index: createSetup('while (true) {}') }), {
    signal: abort.signal,
    onStart: (name) => void (name === load && abort.abort()),
  })
  expect(failed(report)).toEqual([{ name: load, result: 'failed', reason: 'it was interrupted' }])
})
