import { defineService, extensionPoint, notifyHook, type Plugin, type PluginContext, type Service } from 'svc/sdk'
import { PluginsChanged } from 'svc/sdk/hooks'
import { type ContributionRegistry, Plugins } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { Generations } from '../../kernel/generations.ts'

interface Lamp {
  readonly light: string
}
const Lamp: Service<Lamp> = defineService('lamp')
const Words = extensionPoint<string>('words', (word) => word)
const Ping = notifyHook<string[]>('test:ping')

type Setup = (ctx: PluginContext<never>) => ReturnType<Plugin['setup']>

/** A plugin whose next generation may do something else: it runs the newest setup. */
function changing(first: Setup) {
  const state = { setup: first }
  return { state, setup: (ctx: PluginContext<never>) => state.setup(ctx) }
}

/** Provides the lamp, adds a word, listens, and notes when it is closed. */
function lamp(light: string, closed: string[] = []): Setup {
  return (ctx) => {
    ctx.provide(Lamp, () => ({ light }))
    ctx.add(Words, light)
    ctx.on(Ping, (heard) => void heard.push(light))
    return () => void closed.push(light)
  }
}

test('a reload puts the new generation in the place of the old one, in everything it offers', async () => {
  const plugin = changing(lamp('red'))
  await using kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: plugin.setup }] })
  expect(kernel.plugins.info('lamp')?.generation).toBe(1)
  plugin.state.setup = lamp('green')
  await kernel.plugins.reload('lamp')
  const heard: string[] = []
  await kernel.call(Ping, heard)
  expect({ heard, light: kernel.use(Lamp).light, words: kernel.all(Words).all() }).toEqual({
    heard: ['green'],
    light: 'green',
    words: ['green'],
  })
  expect(kernel.plugins.info('lamp')).toMatchObject({ status: 'started', generation: 2 })
})

test('until the new generation has started, everybody sees the old one', async () => {
  const plugin = changing(lamp('red'))
  await using kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: plugin.setup }] })
  const seen: unknown[] = []
  const look = async () => {
    const heard: string[] = []
    await kernel.call(Ping, heard)
    seen.push([kernel.use(Lamp).light, ...kernel.all(Words).all(), ...heard])
  }
  plugin.state.setup = (ctx) => {
    lamp('green')(ctx)
    ctx.onStart(look)
  }
  await kernel.plugins.reload('lamp')
  await look()
  expect(seen).toEqual([
    ['red', 'red', 'red'],
    ['green', 'green', 'green'],
  ])
})

const noBulb = () => Promise.reject(new Error('no bulb'))

test.for([
  ['setup', noBulb],
  ['start', (ctx: PluginContext<never>) => ctx.onStart(noBulb)],
] as const)('a new generation that fails in %s is undone and the old one keeps serving', async ([, failing]) => {
  const closed: string[] = []
  const plugin = changing(lamp('red', closed))
  await using kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: plugin.setup }] })
  const before = kernel.plugins.info('lamp')
  plugin.state.setup = (ctx) => {
    lamp('broken')(ctx)
    return failing(ctx)
  }
  await expect(kernel.plugins.reload('lamp')).rejects.toMatchObject({
    code: 'PLUGIN_RELOAD_FAILED',
    message: expect.stringContaining('no bulb'),
  })
  expect(kernel.plugins.info('lamp')).toEqual(before)
  expect([kernel.use(Lamp).light, kernel.all(Words).all(), closed]).toEqual(['red', ['red'], []])
  plugin.state.setup = lamp('green', closed)
  await kernel.plugins.reload('lamp')
  expect([kernel.use(Lamp).light, closed]).toEqual(['green', ['red']])
})

test('work that is under way keeps the generation it began with alive, and only that', async () => {
  const closed: string[] = []
  const plugin = changing(lamp('1', closed))
  await using kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: plugin.setup }] })
  const reload = async (light: string) => {
    plugin.state.setup = lamp(light, closed)
    await kernel.plugins.reload('lamp')
  }
  const firstTurn = kernel.plugins.pin()
  await reload('2')
  const secondTurn = kernel.plugins.pin()
  await reload('3')
  expect([closed, kernel.use(Lamp).light]).toEqual([[], '3'])
  await secondTurn()
  expect(closed).toEqual([])
  await firstTurn()
  await expect.poll(() => closed.toSorted()).toEqual(['1', '2'])
})

test('work that began after the change does not keep the old generation', async () => {
  const closed: string[] = []
  const plugin = changing(lamp('1', closed))
  await using kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: plugin.setup }] })
  const old = kernel.plugins.pin()
  plugin.state.setup = lamp('2', closed)
  await kernel.plugins.reload('lamp')
  const fresh = kernel.plugins.pin()
  await old()
  expect(closed).toEqual(['1'])
  await fresh()
  await fresh()
})

test('a disabled plugin is found no more at once, but ends only when the work that uses it does', async () => {
  const closed: string[] = []
  await using kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: lamp('on', closed) }] })
  const lampOfTheTurn = kernel.use(Lamp)
  const turn = kernel.plugins.pin()
  await kernel.plugins.disable('lamp')
  expect([kernel.find(Lamp), closed, lampOfTheTurn.light]).toEqual([undefined, [], 'on'])
  await turn()
  expect(closed).toEqual(['on'])
})

test('those that require a service are replaced with it, and closed before it', async () => {
  const order: string[] = []
  const made: string[] = []
  const maker: Setup = (ctx) => {
    made.push('maker')
    return lamp('on', order)(ctx)
  }
  const user: Setup = (ctx) => {
    made.push(`user of ${ctx.use(Lamp).light}`)
    return () => void order.push('user')
  }
  const plugin = changing(maker)
  await using kernel = await testKernel({
    with: [
      { name: 'user', requires: ['lamp'], setup: user },
      { name: 'stranger', setup: () => void made.push('stranger') },
      { name: 'maker', provides: ['lamp'], setup: plugin.setup },
    ],
  })
  made.length = 0
  plugin.state.setup = (ctx) => {
    made.push('maker')
    return lamp('bright', order)(ctx)
  }
  await kernel.plugins.reload('maker')
  expect(made).toEqual(['maker', 'user of bright'])
  expect(order).toEqual(['user', 'on'])
  expect(kernel.plugins.list().map(({ manifest, generation }) => [manifest.name, generation])).toEqual(
    expect.arrayContaining([
      ['user', 2],
      ['stranger', 1],
      ['maker', 2],
    ]),
  )
})

test('when a dependent of the new generation fails, all of the old stay', async () => {
  const plugin = changing(lamp('red'))
  await using kernel = await testKernel({
    with: [
      { name: 'maker', provides: ['lamp'], setup: plugin.setup },
      {
        name: 'user',
        requires: ['lamp'],
        setup(ctx) {
          if (ctx.use(Lamp).light !== 'red') throw new Error('wrong colour')
        },
      },
    ],
  })
  plugin.state.setup = lamp('green')
  await expect(kernel.plugins.reload('maker')).rejects.toThrow('wrong colour')
  expect(kernel.use(Lamp).light).toBe('red')
  expect(kernel.plugins.info('user')).toMatchObject({ status: 'started', generation: 1 })
})

test('changes that are asked for at once happen one after the other', async () => {
  let running = 0
  let most = 0
  const setup: Setup = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }
  await using kernel = await testKernel({ with: [{ name: 'slow', setup }] })
  await Promise.all([1, 2, 3].map(() => kernel.plugins.reload('slow')))
  expect({ most, generation: kernel.plugins.info('slow')?.generation }).toEqual({ most: 1, generation: 4 })
})

test('anyone who listens is told which plugins changed', async () => {
  const told: string[][] = []
  await using kernel = await testKernel({
    with: [
      { name: 'observer', setup: (ctx) => void ctx.on(PluginsChanged, ({ names }) => void told.push([...names])) },
      { name: 'lamp', provides: ['lamp'], setup: lamp('on') },
      { name: 'user', requires: ['lamp'], setup() {} },
    ],
  })
  told.length = 0
  await kernel.plugins.reload('lamp')
  await kernel.plugins.disable('lamp')
  await kernel.plugins.enable('user')
  expect(told).toEqual([
    ['lamp', 'user'],
    ['user', 'lamp'],
    ['lamp', 'user'],
  ])
})

test('a plugin that reloads itself in the middle of its work finishes the work', async () => {
  const log: string[] = []
  let made = 0
  await using kernel = await testKernel({
    with: [
      {
        name: 'restless',
        setup(ctx) {
          const generation = ++made
          ctx.on(Ping, async () => {
            const release = ctx.use(Plugins).pin()
            await ctx.use(Plugins).reload('restless')
            log.push(`${generation} goes on`)
            await release()
          })
          return () => void log.push(`${generation} is closed`)
        },
      },
    ],
  })
  await kernel.call(Ping, [])
  expect(log).toEqual(['1 goes on', '1 is closed'])
})

test('stopping ends old generations too, whatever is pinned', async () => {
  const closed: string[] = []
  const plugin = changing(lamp('old', closed))
  const kernel = await testKernel({ with: [{ name: 'lamp', provides: ['lamp'], setup: plugin.setup }] })
  kernel.plugins.pin()
  plugin.state.setup = lamp('new', closed)
  await kernel.plugins.reload('lamp')
  await kernel.stop()
  expect(closed.sort()).toEqual(['new', 'old'])
})

test('a list of contributions that a plugin holds shows the new generation of another without being asked again', async () => {
  const plugin = changing(lamp('red'))
  let words: ContributionRegistry<string> | undefined
  await using kernel = await testKernel({
    with: [
      {
        name: 'reader',
        setup(ctx) {
          words = ctx.all(Words)
        },
      },
      { name: 'lamp', provides: ['lamp'], setup: plugin.setup },
    ],
  })
  plugin.state.setup = lamp('green')
  await kernel.plugins.reload('lamp')
  expect(words?.all()).toEqual(['green'])
})

test('generations are counted per plugin', () => {
  const generations = new Generations(() => {})
  const numbers = ['a', 'b', 'a', 'a'].map((name) => generations.next(name, {}).generation)
  expect(numbers).toEqual([1, 1, 2, 3])
})
