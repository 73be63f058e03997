import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runAs } from '../../kernel/owner.ts'
import { boot } from '../../program/boot.ts'
import { onSignals, onStrayErrors, placesInProgram } from '../../program/crash.ts'
import { createOwner } from '../support/owners.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

type Listener = (...args: unknown[]) => void

/** The listener that `install` puts on an event of the process, to be called without a real signal or crash. */
function findListener(event: string, install: () => void): Listener {
  const before = process.listeners(event as never) as Listener[]
  install()
  const [added] = (process.listeners(event as never) as Listener[]).filter((each) => !before.includes(each))
  if (!added) throw new Error(`nobody listens to ${event}`)
  return added
}

/** Installs the signal handlers; they are gone when the test is over. */
function interruptible(event: string) {
  let interruption: ReturnType<typeof onSignals> | undefined
  const send = findListener(event, () => {
    interruption = onSignals()
  })
  if (!interruption) throw new Error('no handlers')
  onTestFinished(interruption.stop)
  return { send, interruption }
}

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s asks for an end and sets the exit code %i', ([signal, code]) => {
  const { send, interruption } = interruptible(signal)
  expect([interruption.signal.aborted, interruption.exitCode()]).toEqual([false, undefined])
  send()
  expect(interruption.signal.aborted).toBe(true)
  expect(interruption.signal.reason).toMatchObject({ name: 'AbortError' })
  expect(interruption.exitCode()).toBe(code)
})

test('a second Ctrl-C forces the end', () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  onTestFinished(() => exit.mockRestore())
  const { send } = interruptible('SIGINT')
  send()
  expect(exit).not.toHaveBeenCalled()
  send()
  expect(exit).toHaveBeenCalledWith(130)
})

test('anyone who takes Ctrl-C gets it instead, the newest first, until it gives it back', () => {
  const { send, interruption } = interruptible('SIGINT')
  const [outer, inner] = [vi.fn(), vi.fn()]
  const giveBackOuter = interruption.onInterrupt(outer)
  const giveBackInner = interruption.onInterrupt(inner)
  send()
  send()
  giveBackInner()
  send()
  giveBackOuter()
  expect([inner.mock.calls.length, outer.mock.calls.length, interruption.signal.aborted]).toEqual([2, 1, false])
  send()
  expect(interruption.signal.aborted).toBe(true)
})

test('giving back twice does not take Ctrl-C from someone else', () => {
  const { send, interruption } = interruptible('SIGINT')
  const other = vi.fn()
  interruption.onInterrupt(other)
  const giveBack = interruption.onInterrupt(() => {})
  giveBack()
  giveBack()
  send()
  expect(other).toHaveBeenCalledTimes(1)
})

test('SIGTERM is not for anyone who takes Ctrl-C', () => {
  const { send, interruption } = interruptible('SIGTERM')
  const taker = vi.fn()
  interruption.onInterrupt(taker)
  send()
  expect(taker).not.toHaveBeenCalled()
  expect(interruption.signal.aborted).toBe(true)
})

test('handlers that were taken off leave the process as it was', () => {
  const count = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))
  const before = count()
  onSignals().stop()
  expect(count()).toEqual(before)
})

/** A kernel with one plugin of the user, and the handler of stray errors. */
async function withStrayErrors() {
  const home = temporaryFolder()
  const manifest = { name: 'careless', version: '1.0.0', sdk: '*', kind: 'tool', description: 'x' }
  writeFiles(home, { 'plugins/careless/plugin.json': manifest, 'plugins/careless/index.js': 'export default {}' })
  const config = { plugins: { enabled: ['careless'] } }
  const { kernel, stop } = await boot({ env: {}, cwd: home, home, config })
  await kernel.load([])
  const fatal = vi.fn()
  let takeOff = () => {}
  const stray = findListener('uncaughtException', () => {
    takeOff = onStrayErrors(kernel, fatal)
  })
  onTestFinished(async () => {
    takeOff()
    await stop()
  })
  return { kernel, stray, fatal, dir: join(home, 'plugins/careless') }
}

test('an error that comes of the code of a plugin is reported in its name and the program continues', async () => {
  const { kernel, stray, fatal } = await withStrayErrors()
  runAs(createOwner('weather'), () => stray(new Error('nobody caught me')))
  expect(fatal).not.toHaveBeenCalled()
  expect(kernel.plugins.problems()).toMatchObject([{ plugin: 'weather', stage: 'stray', message: 'nobody caught me' }])
})

test('an error whose stack leads into the folder of a plugin is its fault', async () => {
  const { kernel, stray, fatal, dir } = await withStrayErrors()
  stray(Object.assign(new Error('late'), { stack: `Error: late\n    at tick (file://${join(dir, 'index.js')}:1:1)` }))
  expect(fatal).not.toHaveBeenCalled()
  expect(kernel.plugins.problems()).toMatchObject([{ plugin: 'careless', stage: 'stray', message: 'late' }])
})

test('an error of the program itself is fatal, and so is one that says nothing', async () => {
  const { kernel, stray, fatal } = await withStrayErrors()
  const error = new Error('a bug of ours')
  stray(error)
  stray('a text')
  stray(undefined)
  expect(fatal.mock.calls).toEqual([[error], ['a text'], [undefined]])
  expect(kernel.plugins.problems()).toEqual([])
})

test('in the built program a stack leads to the plugin whose function a line is in, in both scripts', () => {
  const dir = temporaryFolder()
  const plugin = (name: string) => [`'${name}'(exports) {`, 'function run() {}', '},']
  const program = [
    'const chunks = {',
    ...plugin('agent'),
    '}',
    '(function (exports) {',
    'function load() {}',
    '})(exports)',
  ]
  writeFiles(dir, {
    'program.cjs': program.join('\n'),
    'others.cjs': ['return {', ...plugin('kanban'), '}'].join('\n'),
  })
  const at = (place: string) => `    at run (${place}:7)\n`
  const lines = [
    'svc/program.cjs:7',
    'svc/others.cjs:3',
    '/elsewhere/program.cjs:3',
    'svc/program.cjs:3',
    'svc/program.cjs:1',
  ]
  const stack = `Error: boom\n${lines.map(at).join('')}`
  expect(placesInProgram(stack, pathToFileURL(`${dir}/`))).toEqual([
    { name: 'kanban', at: stack.indexOf('svc/others.cjs:3') },
    { name: 'agent', at: stack.indexOf('svc/program.cjs:3') },
  ])
})
