import { extensionPoint } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { currentOwner } from '../../kernel/owner.ts'
import { Points } from '../../kernel/points.ts'
import { itemClaim } from '../../sdk/claims.ts'
import { createOwner } from '../support/owners.ts'

interface Word {
  readonly name: string
  readonly also?: readonly string[]
}
const Words = extensionPoint<Word>(
  'words',
  (word) => word.name,
  (word) => word.also ?? [],
)
const viewer = createOwner('viewer')

test('items are found in the order they were added, by key and by alias, with their owner', () => {
  const points = new Points()
  const [big, small] = [{ name: 'big', also: ['large'] }, { name: 'small' }]
  points.add(Words, big, createOwner('one'))
  points.add(Words, small, createOwner('two'))
  const view = points.view(Words, viewer)
  expect(view.all()).toEqual([big, small])
  expect(view.get('large')).toBe(big)
  expect(view.owner('large')).toBe('one')
  expect(view.owner('small')).toBe('two')
  expect([view.get('tiny'), view.owner('tiny')]).toEqual([undefined, undefined])
})

test.for([
  ['a key that is a key', { name: 'big' }, 'big'],
  ['a key that is an alias', { name: 'large' }, 'large'],
  ['an alias that is a key', { name: 'huge', also: ['big'] }, 'big'],
  ['an alias that is an alias', { name: 'huge', also: ['large'] }, 'large'],
] as const)('%s is taken: both owners and the name are told', ([, word, taken]) => {
  const points = new Points()
  points.add(Words, { name: 'big', also: ['large'] }, createOwner('first'))
  expect(() => points.add(Words, word, createOwner('second'))).toThrow(
    expect.objectContaining({
      code: 'CONTRIBUTION_TAKEN',
      message: `second adds "${taken}" to words, but first already did. Disable one of them.`,
    }),
  )
})

test('what one plugin adds twice is said as such', () => {
  const points = new Points()
  points.add(Words, { name: 'big' }, createOwner('first'))
  expect(() => points.add(Words, { name: 'huge', also: ['big'] }, createOwner('first'))).toThrow(
    'first adds "big" to words twice',
  )
})

test('an item that is withdrawn while its plugin lives is found by none of its names, and they are free again', () => {
  const points = new Points()
  const owner = createOwner('first')
  const withdraw = points.add(Words, { name: 'big', also: ['large'] }, owner)
  const view = points.view(Words, viewer)
  expect(view.all()).toHaveLength(1)
  void withdraw()
  expect([view.get('big'), view.owner('large'), ...view.all()]).toEqual([undefined, undefined])
  points.add(Words, { name: 'large' }, createOwner('second'))
  expect(view.owner('large')).toBe('second')
})

test('a plugin of a user cannot take a name or an alias that the manifest of another has, loaded or not', () => {
  const points = new Points()
  const manifest = { name: 'dictionary', version: '1.0.0', sdk: '*', kind: 'tool', description: 'x' }
  points.claims = new Map([[itemClaim('words', 'big'), { manifest, origin: 'built-in', dir: '/' }]])
  const mine = createOwner('mine', { contributes: { words: ['*'] } })
  for (const word of [{ name: 'big' }, { name: 'huge', also: ['big'] }])
    expect(() => points.add(Words, word, mine)).toThrow(
      expect.objectContaining({
        code: 'CONTRIBUTION_TAKEN',
        message: expect.stringContaining('which dictionary has by its plugin.json'),
      }),
    )
  points.add(Words, { name: 'huge' }, mine)
  points.add(Words, { name: 'big' }, createOwner('dictionary', { contributes: { words: ['big'] } }))
  expect(points.view(Words, viewer).owner('big')).toBe('dictionary')
})

test('a list that was taken is a snapshot; the view itself is live', async () => {
  const points = new Points()
  const view = points.view(Words, viewer)
  const remove = points.add(Words, { name: 'a' }, createOwner('one'))
  const before = view.all()
  await remove()
  points.add(Words, { name: 'b' }, createOwner('one'))
  expect(before.map((word) => word.name)).toEqual(['a'])
  expect(view.all().map((word) => word.name)).toEqual(['b'])
})

test('anyone who watches a point hears of every item that comes and goes, until it stops watching', async () => {
  const points = new Points()
  const heard = vi.fn()
  const stop = points.view(Words, viewer).onChange(heard)
  const remove = points.add(Words, { name: 'a' }, createOwner('one'))
  expect(heard).toHaveBeenCalledTimes(1)
  await remove()
  expect(heard).toHaveBeenCalledTimes(2)
  await stop()
  points.add(Words, { name: 'b' }, createOwner('one'))
  expect(heard).toHaveBeenCalledTimes(2)
})

test('a new generation brings the same keys while the old one still serves, and takes over in one step', () => {
  const points = new Points()
  const old = createOwner('words')
  const fresh = createOwner('words', { generation: 2, state: 'pending' })
  points.add(Words, { name: 'a', also: ['old'] }, old)
  points.add(Words, { name: 'a', also: ['new'] }, fresh)
  const view = points.view(Words, viewer)
  expect(view.get('a')?.also).toEqual(['old'])
  expect(points.view(Words, createOwner('words', { ...fresh })).get('new')).toBeDefined()
  const heard = vi.fn()
  view.onChange(heard)
  old.state = 'retired'
  fresh.state = 'live'
  points.refresh([old, fresh])
  expect(view.all()).toEqual([{ name: 'a', also: ['new'] }])
  expect(heard).toHaveBeenCalledTimes(1)
  expect(points.ownedBy(fresh)).toEqual({ words: ['a'] })
})

test('what is no contribution point is refused by name', () => {
  const points = new Points()
  for (const strange of [undefined, {}, { id: 'x' }])
    expect(() => points.add(strange as never, {} as never, createOwner('newer'))).toThrow(/newer contributes to/)
})

test('a plugin whose watching fails does not hurt the plugin that adds something', async () => {
  await using kernel = await testKernel({
    with: [
      {
        name: 'watcher',
        setup(ctx) {
          ctx.all(Words).onChange(() => {
            throw new Error('cannot count')
          })
        },
      },
      { name: 'adder', setup: (ctx) => void ctx.add(Words, { name: 'a' }) },
    ],
  })
  expect(kernel.plugins.info('adder')?.status).toBe('started')
  expect(kernel.all(Words).get('a')).toBeDefined()
  expect(kernel.problems()[0]).toMatchObject({ plugin: 'watcher', stage: 'watch', message: 'cannot count' })
  expect(kernel.problems().filter(({ plugin }) => plugin !== 'watcher')).toEqual([])
})

test('a watcher runs in the name of the plugin that watches, so that its mistakes are its own', async () => {
  const names: (string | undefined)[] = []
  await using kernel = await testKernel({
    with: [
      { name: 'watcher', setup: (ctx) => void ctx.all(Words).onChange(() => void names.push(currentOwner()?.name)) },
      { name: 'adder', setup: (ctx) => void ctx.add(Words, { name: 'a' }) },
    ],
  })
  expect(names.length).toBeGreaterThan(0)
  expect(new Set(names)).toEqual(new Set(['watcher']))
  await kernel.plugins.disable('watcher')
  names.length = 0
  await kernel.plugins.disable('adder')
  expect(names).toEqual([])
})

const Lamps = extensionPoint<{ readonly name: string; readonly colour?: string; readonly room?: string }>(
  'lamps',
  (lamp) => lamp.name,
  undefined,
  { defaults: (_lamp, plugin) => ({ colour: 'white', room: plugin }) },
)

test('readers get the defaults of the members that an item lacks; what its author gave stays', () => {
  const points = new Points()
  points.add(Lamps, { name: 'plain' }, createOwner('hall'))
  points.add(Lamps, Object.freeze({ name: 'frozen', colour: 'red' }), createOwner('hall'))
  const all = points.view(Lamps, viewer)
  expect(all.get('plain')).toEqual({ name: 'plain', colour: 'white', room: 'hall' })
  expect(all.get('frozen')).toEqual({ name: 'frozen', colour: 'red', room: 'hall' })
})

test('an instance of a class stays the object it is, with its private fields', () => {
  class Lamp {
    readonly name = 'own'
    #uses = 0
    use(): number {
      this.#uses += 1
      return this.#uses
    }
  }
  const points = new Points()
  const lamp = new Lamp()
  points.add(Lamps, lamp, createOwner('hall'))
  const found = points.view(Lamps, viewer).get('own')
  expect(found).toBe(lamp)
  expect(found).toMatchObject({ colour: 'white' })
  expect((found as Lamp).use()).toBe(1)
})
