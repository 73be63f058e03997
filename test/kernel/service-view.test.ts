import { defineService, extensionPoint, Home, type Service, SvcError } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { currentOwner, followOwners, runAs } from '../../kernel/owner.ts'
import { Points } from '../../kernel/points.ts'
import { facade } from '../../kernel/service-view.ts'
import { Services } from '../../kernel/services.ts'
import { createOwner } from '../support/owners.ts'

interface Bell {
  ring(): string
  onRing(listener: () => void): () => void
  open(): Promise<{ readonly port: number; readonly close: () => void }>
}
const Bells = defineService<Bell>('bells', { registers: ['onRing', 'open'] })
const Spoons = defineService<{ count(): number; stir(): void }>('spoons', { free: ['count'] })

/** A bell that counts who listens. */
class Tower implements Bell {
  readonly #listeners = new Set<() => void>()
  #open = 0

  ring(): string {
    return `${this.#listeners.size} listen, ${this.#open} open`
  }

  onRing(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async open() {
    this.#open++
    return { port: 1, close: () => void this.#open-- }
  }
}

test('what a plugin registers through a service ends with the plugin, though it never disposes of it', async () => {
  const tower = new Tower()
  await using svc = await testKernel({
    with: [
      { name: 'belfry', provides: ['bells'], setup: (ctx) => void ctx.provide(Bells, () => tower) },
      {
        name: 'sleeper',
        setup: (ctx) =>
          ctx.onStart(async () => {
            ctx.use(Bells).onRing(() => {})
            await ctx.use(Bells).open()
          }),
      },
    ],
  })
  expect(tower.ring()).toBe('1 listen, 1 open')
  await svc.plugins.disable('sleeper')
  expect(tower.ring()).toBe('0 listen, 0 open')
})

test('a disposer that the caller keeps still works, once', async () => {
  const tower = new Tower()
  let stop = () => {}
  await using _ = await testKernel({
    with: [
      { name: 'belfry', provides: ['bells'], setup: (ctx) => void ctx.provide(Bells, () => tower) },
      {
        name: 'guest',
        setup: (ctx) =>
          ctx.onStart(() => {
            stop = ctx.use(Bells).onRing(() => {})
          }),
      },
    ],
  })
  stop()
  stop()
  expect(tower.ring()).toBe('0 listen, 0 open')
})

test('a plugin of a user cannot replace a method of a service that everybody shares', () => {
  const tower = new Tower()
  const viewer = createOwner('patcher', { named: new Set(['bells']) })
  const view = facade(Bells, tower, createOwner('belfry'), viewer) as Bell & { extra?: string }
  expect(() => (view.ring = () => 'mine')).toThrow(TypeError)
  expect(() => Object.defineProperty(view, 'ring', { value: () => 'mine' })).toThrow(TypeError)
  expect(() => Object.setPrototypeOf(view, {})).toThrow(TypeError)
  expect(Object.getPrototypeOf(view)).toBe(Object.prototype)
  expect(view.ring()).toBe('0 listen, 0 open')
  expect(facade(Bells, tower, createOwner('belfry'), viewer)).toBe(view)
})

test('a plugin of a user uses the services that its manifest names, and what a token leaves free', () => {
  const services = new Services()
  services.provide(Bells, createOwner('belfry'), () => new Tower())
  services.provide(Spoons, createOwner('kitchen'), () => ({ count: () => 3, stir: () => {} }))
  const stranger = createOwner('stranger', { named: new Set() })
  expect(() => services.use(Bells, stranger)).toThrow(expect.objectContaining({ code: 'SERVICE_NOT_NAMED' }))
  expect(() => services.find(Bells, stranger)).toThrow(/stranger uses the service "bells"/)
  expect(services.use(Spoons, stranger).count()).toBe(3)
  expect(() => services.use(Spoons, stranger).stir()).toThrow(/"stir" of the service "spoons"/)
  expect(services.use(Bells, createOwner('friend', { named: new Set(['bells']) })).ring()).toBe('0 listen, 0 open')
})

interface Drawer {
  take(owner: string): string
  list(): readonly string[]
}
const Drawer: Service<Drawer> = defineService('drawer', { own: { point: 'desks', members: ['take'] } })

test('a plugin of a user takes what belongs to an item of its own from a service that it does not name', () => {
  const services = new Services()
  services.provide(Drawer, createOwner('office'), () => ({ take: (owner) => `key of ${owner}`, list: () => [] }))
  const own = { named: new Set<string>(), contributes: { desks: ['mine'] } }
  const drawer = services.use(Drawer, createOwner('guest', own))
  expect(drawer.take('mine')).toBe('key of mine')
  expect(() => drawer.take('yours')).toThrow(/"take" of the service "drawer"/)
  expect(() => drawer.list()).toThrow(expect.objectContaining({ code: 'SERVICE_NOT_NAMED' }))
  const stranger = createOwner('stranger', { named: new Set(), contributes: { chairs: ['mine'] } })
  expect(() => services.find(Drawer, stranger)).toThrow(expect.objectContaining({ code: 'SERVICE_NOT_NAMED' }))
})

test('the work of a service is booked to its provider and not to its first caller', () => {
  followOwners()
  const provider = createOwner('kitchen')
  const caller = createOwner('guest')
  let who: string | undefined
  const target = {
    count: () => 0,
    stir: () => {
      who = currentOwner()?.name
    },
  }
  runAs(caller, () => facade(Spoons, target, provider, caller).stir())
  expect(who).toBe('kitchen')
})

const Cups = extensionPoint<{ readonly name: string; size: number }>('cups', (cup) => cup.name, undefined, {
  problem: (cup) => (typeof (cup as { size?: unknown }).size === 'number' ? undefined : 'has no size'),
})

test.each([[{ name: 'a' }], [{ size: 1 }], [null], [undefined], ['cup'], [{ name: '', size: 1 }]])(
  'a malformed contribution is refused when it is added: %j',
  (item) => {
    const points = new Points()
    const add = () => points.add(Cups, item as never, createOwner('clumsy'))
    expect(add).toThrow(SvcError)
    expect(add).toThrow(expect.objectContaining({ code: 'CONTRIBUTION_INVALID' }))
    expect(points.view(Cups, createOwner('reader')).all()).toEqual([])
  },
)

test('a contribution cannot be changed by another plugin', () => {
  const points = new Points()
  points.add(Cups, { name: 'a', size: 1 }, createOwner('potter'))
  const cup = points.view(Cups, createOwner('thief')).get('a')
  expect(() => {
    if (cup) cup.size = 2
  }).toThrow(TypeError)
})

test('what is kept by the home is there for the next generation, also once owners are followed', async () => {
  const seen: Home[] = []
  await using svc = await testKernel({
    with: [{ name: 'keeper', setup: (ctx) => void ctx.onStart(() => void seen.push(ctx.use(Home))) }],
  })
  followOwners()
  await svc.plugins.reload('keeper')
  expect(seen).toHaveLength(2)
  expect(seen[1]).toBe(seen[0])
  expect(Object.isFrozen(seen[0])).toBe(true)
})
