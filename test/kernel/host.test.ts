import { definePlugin, defineService, notifyHook, type Service, SvcError, Tools } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

interface Box {
  open(): string
}
const Box: Service<Box> = defineService('box')
const Ping = notifyHook<string>('test:ping')
const saw = {
  name: 'saw',
  description: 'cuts',
  input: z.object({}),
  effect: 'pure',
  toolset: 'test',
  reach: 'nothing',
  run: async () => 'cut',
} as const

test('a plugin that fails half way leaves nothing behind', async () => {
  await using kernel = await testKernel({
    with: [
      {
        name: 'half',
        setup(ctx) {
          ctx.provide(Box, () => ({ open: () => 'x' }))
          ctx.add(Tools, saw)
          ctx.on(Ping, () => {})
          throw new Error('half way')
        },
      },
    ],
  })
  expect(kernel.plugins.info('half')).toMatchObject({ status: 'failed', reason: 'setup: half way', holds: {} })
  expect(kernel.find(Box)).toBeUndefined()
  expect(kernel.all(Tools).all()).toEqual([])
  expect(kernel.problems()).toMatchObject([{ plugin: 'half', stage: 'setup' }])
})

test('what depends on a failed plugin is left out and says why; the rest runs', async () => {
  await using kernel = await testKernel({
    with: [
      { name: 'maker', provides: ['box'], setup: () => Promise.reject(new Error('no')) },
      { name: 'user', requires: ['box'], setup() {} },
      { name: 'other', setup() {} },
    ],
  })
  expect(kernel.plugins.info('user')?.reason).toBe('"box" is not available: maker failed')
  expect(kernel.plugins.info('other')?.status).toBe('started')
})

test('a plugin that fails to start takes those that require it with it', async () => {
  await using kernel = await testKernel({
    with: [
      {
        name: 'maker',
        provides: ['box'],
        setup(ctx) {
          ctx.provide(Box, () => ({ open: () => 'x' }))
          ctx.onStart(() => Promise.reject(new SvcError('NO_PORT', 'the port is taken')))
        },
      },
      { name: 'user', requires: ['box'], setup() {} },
    ],
  })
  expect(kernel.plugins.info('maker')?.reason).toBe('start: the port is taken')
  expect(kernel.plugins.info('user')).toMatchObject({ status: 'left-out' })
})

test('disabling a service unloads its users first, and enabling them again works', async () => {
  const order: string[] = []
  await using kernel = await testKernel({
    with: [
      {
        name: 'maker',
        provides: ['box'],
        setup(ctx) {
          ctx.provide(Box, () => ({ open: () => 'open' }))
          return () => void order.push('maker')
        },
      },
      { name: 'user', requires: ['box'], setup: () => () => void order.push('user') },
    ],
  })
  expect(await kernel.plugins.disable('maker')).toEqual(['user', 'maker'])
  expect(order).toEqual(['user', 'maker'])
  await kernel.plugins.enable('user')
  expect(kernel.use(Box).open()).toBe('open')
})

test('a disposer that fails does not stop the others', async () => {
  const gone: string[] = []
  await using kernel = await testKernel({
    with: [
      {
        name: 'messy',
        setup(ctx) {
          ctx.defer(() => void gone.push('first'))
          ctx.defer(() => Promise.reject(new Error('stuck')))
          ctx.defer(() => void gone.push('last'))
        },
      },
    ],
  })
  await kernel.plugins.disable('messy')
  expect(gone).toEqual(['last', 'first'])
  expect(kernel.problems()).toMatchObject([{ plugin: 'messy', stage: 'dispose', message: 'stuck' }])
})

test('two plugins that offer the same thing: the second fails by name', async () => {
  await using kernel = await testKernel({
    with: [
      { name: 'a', setup: (ctx) => void ctx.add(Tools, saw) },
      { name: 'b', setup: (ctx) => void ctx.add(Tools, saw) },
    ],
  })
  expect(kernel.plugins.info('b')?.reason).toContain('b adds "saw" to tools, but a already did')
})

test('a wrong value in config is told with its path, what was there, and what to type', async () => {
  await using kernel = await testKernel({
    config: { box: { size: 'huge' } },
    with: [{ name: 'boxes', ...definePlugin({ config: z.object({ size: z.number() }), setup() {} }) }],
  })
  expect(kernel.plugins.info('boxes')?.reason).toContain('plugins.entries.boxes.size is "not set"')
})
