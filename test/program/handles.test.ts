import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import type { PluginContext } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Handles } from '../../program/handles.ts'
import { createOwner } from '../support/owners.ts'

function listening(): Promise<Server> {
  const server = createServer()
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** What can be left open, how it shows, and how it is closed. */
const leaks = [
  {
    what: 'a timer',
    kind: 'timers',
    async open() {
      const timer = setInterval(() => {}, 1e6)
      return () => clearInterval(timer)
    },
  },
  {
    what: 'a server',
    kind: 'servers',
    async open() {
      const server = await listening()
      return () => new Promise<void>((resolve) => server.close(() => resolve()))
    },
  },
  {
    what: 'a child process',
    kind: 'child processes',
    async open() {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
      return () =>
        new Promise<void>((resolve) => {
          child.on('exit', () => resolve())
          child.kill()
        })
    },
  },
  {
    what: 'a file watcher',
    kind: 'file watchers',
    async open() {
      const watcher = watch(tmpdir())
      return () => watcher.close()
    },
  },
]

test.for(leaks)('a plugin that leaves $what behind is named with it', async ({ kind, open }) => {
  let close = async () => {}
  onTestFinished(() => close())
  await using kernel = await testKernel({
    audit: true,
    with: [
      {
        name: 'leaky',
        setup(ctx: PluginContext<never>) {
          ctx.onStart(async () => {
            const closing = await open()
            close = async () => closing()
          })
        },
      },
      { name: 'tidy', setup() {} },
    ],
  })
  expect(kernel.plugins.info('leaky')?.holds).toEqual({ [kind]: 1 })
  expect(kernel.plugins.info('tidy')?.holds).toEqual({})
  await kernel.plugins.disable('leaky')
  expect(kernel.problems()).toMatchObject([
    { plugin: 'leaky', stage: 'residue', code: 'PLUGIN_RESIDUE', message: `left behind after its end: 1 ${kind}` },
  ])
})

test.for(leaks)('a plugin that closes $what in time is blameless', async ({ kind, open }) => {
  await using kernel = await testKernel({
    audit: true,
    with: [{ name: 'tidy', setup: (ctx) => ctx.onStart(async () => void ctx.defer(await open())) }],
  })
  expect(kernel.plugins.info('tidy')?.holds).toMatchObject({ [kind]: 1 })
  await kernel.plugins.disable('tidy')
  expect(kernel.problems()).toEqual([])
})

test('a timer that has fired is over', async () => {
  await using kernel = await testKernel({
    audit: true,
    with: [{ name: 'quick', setup: () => void setTimeout(() => {}, 1) }],
  })
  await vi.waitFor(() => expect(kernel.plugins.info('quick')?.holds).toEqual({}))
})

test('without an audit nothing is followed, because following costs speed', async () => {
  await using kernel = await testKernel({
    with: [
      {
        name: 'leaky',
        setup(ctx) {
          const timer = setInterval(() => {}, 1e6)
          ctx.defer(() => clearInterval(timer))
        },
      },
    ],
  })
  expect(kernel.plugins.info('leaky')?.holds).toEqual({ disposers: 1 })
})

test('what no one opened belongs to no one', () => {
  const handles = new Handles()
  handles.start()
  const timer = setInterval(() => {}, 1e6)
  expect(handles.ownedBy(createOwner('anybody'))).toEqual({})
  clearInterval(timer)
  handles.stop()
})

test('a timer that its setter tells of belongs to it until it is over; followed timers are not told twice', () => {
  const handles = new Handles()
  const owner = createOwner('teller')
  const timer = setInterval(() => {}, 1e6)
  handles.note(owner, timer)
  expect(handles.heldOpen()).toEqual(new Map([['teller', { timers: 1 }]]))
  clearInterval(timer)
  expect(handles.heldOpen()).toEqual(new Map())
  handles.start()
  const followed = setInterval(() => {}, 1e6)
  handles.note(owner, followed)
  expect(handles.ownedBy(owner)).toEqual({})
  clearInterval(followed)
  handles.stop()
})
