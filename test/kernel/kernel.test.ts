import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config, defineService, Home, notifyHook, type Service } from 'svc/sdk'
import { ConfigChanged, PluginFailed } from 'svc/sdk/hooks'
import { type PluginProblem, Plugins } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

interface Box {
  readonly size: number
}
const Box: Service<Box> = defineService('box')
const Ping = notifyHook<string[]>('test:ping')
const size = z.object({ size: z.number().default(1) })

/** A home with a config file, and how to change it. */
function homeWith(config: string) {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': config })
  return { home, configure: (text: string) => writeFileSync(join(home, 'config.yaml'), text) }
}

/** A plugin that provides the box in the size that is configured. */
const boxes = {
  name: 'boxes',
  provides: ['box'],
  config: size,
  setup(ctx: { config: unknown; provide(token: Service<Box>, make: () => Box): unknown }) {
    const config = ctx.config as z.infer<typeof size>
    ctx.provide(Box, () => ({ size: config.size }))
  },
} as const

test('what the kernel itself offers is there before any plugin', async () => {
  await using kernel = await testKernel()
  expect(kernel.use(Home).dir).toBe(kernel.home)
  expect(kernel.use(Plugins).problems()).toEqual([])
  expect(kernel.use(Config).get('anything')).toBeUndefined()
})

test('a plugin is known but not loaded until someone wants it', async () => {
  await using kernel = await testKernel({ plugins: ['storage'] })
  expect(kernel.plugins.info('storage')).toMatchObject({ status: 'started', generation: 1, origin: 'built-in' })
  const sleeping = kernel.plugins.list().find(({ status }) => status === 'available')
  expect(sleeping).toMatchObject({ generation: 0, holds: {} })
  expect(kernel.plugins.info('no-such-plugin')).toBeUndefined()
})

test('enabling, disabling and reloading a plugin that is not there names the nearest', async () => {
  await using kernel = await testKernel()
  const { plugins } = kernel
  for (const ask of [() => plugins.enable('storge'), () => plugins.disable('storge'), () => plugins.reload('storge')])
    await expect(ask()).rejects.toMatchObject({ code: 'PLUGIN_UNKNOWN', message: expect.stringContaining('storage') })
})

test('enabling a plugin that cannot run says why', async () => {
  await using kernel = await testKernel({ with: [{ name: 'needy', requires: ['nothing-like-it'], setup() {} }] })
  await expect(kernel.plugins.enable('needy')).rejects.toMatchObject({
    code: 'PLUGIN_LEFT_OUT',
    message: 'needy is not running: nothing provides "nothing-like-it".',
  })
})

test('reloading a plugin that does not run is refused', async () => {
  await using kernel = await testKernel()
  await expect(kernel.plugins.reload('storage')).rejects.toMatchObject({ code: 'PLUGIN_LEFT_OUT' })
})

test('a plugin that failed can be enabled again once its fault is gone', async () => {
  let broken = true
  await using kernel = await testKernel({
    with: [
      {
        name: 'moody',
        setup() {
          if (broken) throw new Error('not today')
        },
      },
    ],
  })
  await expect(kernel.plugins.enable('moody')).rejects.toThrow('not today')
  broken = false
  await kernel.plugins.enable('moody')
  expect(kernel.plugins.info('moody')).toMatchObject({ status: 'started' })
  expect(kernel.plugins.info('moody')?.reason).toBeUndefined()
})

test('the code of a plugin can be looked at without running it', async () => {
  let ran = false
  const setup = () => {
    ran = true
  }
  await using kernel = await testKernel({ with: [{ name: 'other', setup() {} }] })
  expect(typeof (await kernel.plugins.module('storage')).setup).toBe('function')
  expect(kernel.plugins.info('storage')?.status).toBe('available')
  await using second = await testKernel({
    with: [{ name: 'sleeper', optIn: true, setup }],
  })
  expect(typeof (await second.plugins.module('sleeper')).setup).toBe('function')
  expect(ran).toBe(false)
})

test('a failure is told to anyone who listens, once, and kept', async () => {
  const told: PluginProblem[] = []
  await using kernel = await testKernel({
    with: [
      { name: 'observer', setup: (ctx) => void ctx.on(PluginFailed, (problem) => void told.push(problem)) },
      { name: 'faulty', setup: (ctx) => void ctx.on(Ping, () => Promise.reject(new Error('no pong'))) },
    ],
  })
  await kernel.call(Ping, [])
  expect(told).toEqual(kernel.problems())
  expect(told).toMatchObject([{ plugin: 'faulty', stage: 'hook', code: 'HOOK_FAILED', message: 'test:ping: no pong' }])
})

test('a listener of failures that fails itself does not go round in circles', async () => {
  await using kernel = await testKernel({
    with: [
      { name: 'observer', setup: (ctx) => void ctx.on(PluginFailed, () => Promise.reject(new Error('me too'))) },
      { name: 'faulty', setup: (ctx) => void ctx.on(Ping, () => Promise.reject(new Error('no pong'))) },
    ],
  })
  await kernel.call(Ping, [])
  await new Promise((resolve) => setImmediate(resolve))
  expect(kernel.problems().map(({ plugin }) => plugin)).toEqual(['faulty', 'observer'])
})

test('a plugin whose listener was suspended shows it', async () => {
  await using kernel = await testKernel({
    with: [{ name: 'faulty', setup: (ctx) => void ctx.on(Ping, () => Promise.reject(new Error('no pong'))) }],
  })
  for (let n = 0; n < 5; n++) await kernel.call(Ping, [])
  expect(kernel.plugins.info('faulty')?.status).toBe('suspended')
  await kernel.plugins.reload('faulty')
  expect(kernel.plugins.info('faulty')?.status).toBe('started')
})

test('problems are kept, but not without end', async () => {
  await using kernel = await testKernel({
    with: [{ name: 'faulty', setup: (ctx) => void ctx.on(Ping, () => Promise.reject(new Error('no pong'))) }],
  })
  for (let round = 0; round < 60; round++) {
    for (let n = 0; n < 4; n++) await kernel.call(Ping, [])
    await kernel.plugins.reload('faulty')
  }
  expect(kernel.problems()).toHaveLength(200)
})

test('what a plugin holds is counted by kind', async () => {
  await using kernel = await testKernel({
    with: [
      {
        name: 'rich',
        setup(ctx) {
          ctx.on(Ping, () => {})
          ctx.on(Ping, () => {})
          ctx.provide(Box, () => ({ size: 1 }))
          ctx.defer(() => {})
        },
      },
    ],
  })
  expect(kernel.plugins.info('rich')?.holds).toEqual({ listeners: 2, services: 1, disposers: 4 })
})

test('a changed config block reaches its plugin by a reload, and leaves the others alone', async () => {
  const { home, configure } = homeWith('plugins: { entries: { boxes: { size: 1 } } }\n')
  await using kernel = await testKernel({ home, with: [boxes, { name: 'other', setup() {} }] })
  configure('plugins: { entries: { boxes: { size: 2 } } }\n')
  await kernel.applyConfig()
  expect(kernel.use(Box).size).toBe(2)
  expect(kernel.plugins.info('boxes')?.generation).toBe(2)
  expect(kernel.plugins.info('other')?.generation).toBe(1)
})

test('a config that says nothing new changes nothing', async () => {
  const { home, configure } = homeWith('plugins: { entries: { boxes: { size: 1 } } }\n')
  await using kernel = await testKernel({ home, with: [boxes] })
  configure('# a comment\nplugins:\n  entries:\n    boxes:\n      size: 1\n')
  await kernel.applyConfig()
  expect(kernel.plugins.info('boxes')?.generation).toBe(1)
})

test('a value that its plugin does not accept is reported, and the plugin continues with the old one', async () => {
  const { home, configure } = homeWith('plugins: { entries: { boxes: { size: 1 } } }\n')
  await using kernel = await testKernel({ home, with: [boxes] })
  configure('plugins: { entries: { boxes: { size: huge } } }\n')
  await kernel.applyConfig()
  expect(kernel.use(Box).size).toBe(1)
  expect(kernel.problems()).toMatchObject([
    { plugin: 'boxes', stage: 'config', code: 'CONFIG_INVALID', message: expect.stringContaining('"huge"') },
  ])
})

test('a plugin that is named in plugins.disabled ends, and comes back when it is not any more', async () => {
  const { home, configure } = homeWith('plugins: { disabled: [] }\n')
  await using kernel = await testKernel({
    home,
    with: [boxes, { name: 'user', requires: ['box'], setup() {} }, { name: 'friend', with: ['box'], setup() {} }],
  })
  configure('plugins: { disabled: [boxes] }\n')
  await kernel.applyConfig()
  expect(kernel.find(Box)).toBeUndefined()
  expect(kernel.plugins.info('boxes')?.reason).toContain('disabled in config.yaml')
  expect(kernel.plugins.info('user')?.status).toBe('left-out')
  configure('plugins: { disabled: [] }\n')
  await kernel.applyConfig()
  expect(kernel.use(Box).size).toBe(1)
  for (const name of ['boxes', 'user', 'friend']) expect(kernel.plugins.info(name)?.status).toBe('started')
})

test('a plugin that is named in plugins.enabled while the program runs starts', async () => {
  const { home, configure } = homeWith('')
  await using kernel = await testKernel({ home, with: [{ ...boxes, optIn: true }] })
  expect(kernel.plugins.info('boxes')?.status).toBe('left-out')
  configure('plugins: { enabled: [boxes] }\n')
  await kernel.applyConfig()
  expect(kernel.use(Box).size).toBe(1)
})

test('anyone who listens is told which blocks of the config changed', async () => {
  const { home, configure } = homeWith('a: 1\nb: 1\n')
  const told: (readonly string[])[] = []
  await using kernel = await testKernel({
    home,
    with: [{ name: 'observer', setup: (ctx) => void ctx.on(ConfigChanged, ({ paths }) => void told.push(paths)) }],
  })
  configure('a: 2\nb: 1\nc: 1\n')
  await kernel.applyConfig()
  await kernel.applyConfig()
  expect(told).toEqual([['a', 'c']])
})

test('stopping ends plugins that hang in their end, after the limit, and names them', async () => {
  const kernel = await testKernel({
    limits: { dispose: 30 },
    with: [{ name: 'clinging', setup: (ctx) => void ctx.defer(() => new Promise(() => {})) }],
  })
  await kernel.stop()
  expect(kernel.problems()).toMatchObject([{ plugin: 'clinging', stage: 'dispose', code: 'PLUGIN_TIMEOUT' }])
})
