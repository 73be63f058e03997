import { defineService, type Service } from 'svc/sdk'
import { expect, test, vi } from 'vitest'
import { currentOwner } from '../../kernel/owner.ts'
import { Services } from '../../kernel/services.ts'
import { createOwner } from '../support/owners.ts'

interface Lamp {
  readonly light: string
}
const Lamp: Service<Lamp> = defineService('lamp')
const viewer = createOwner('viewer')

test('a service is made once, when it is first used, in the name of its plugin', () => {
  const services = new Services()
  const make = vi.fn(() => ({ light: currentOwner()?.name ?? 'nobody' }))
  services.provide(Lamp, createOwner('maker'), make)
  expect(make).not.toHaveBeenCalled()
  expect(services.use(Lamp, viewer)).toBe(services.find(Lamp, viewer))
  expect(services.use(Lamp, viewer).light).toBe('maker')
  expect(make).toHaveBeenCalledTimes(1)
})

test('a service that no one provides is not found, and using it says where to look', () => {
  const services = new Services()
  expect(services.find(Lamp, viewer)).toBeUndefined()
  expect(() => services.use(Lamp, viewer)).toThrow(
    expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: 503 }),
  )
  expect(() => services.use(Lamp, viewer)).toThrow(/"lamp".*svc plugins/)
})

test('a second provider is refused and both are named', () => {
  const services = new Services()
  services.provide(Lamp, createOwner('first'), () => ({ light: 'a' }))
  expect(() => services.provide(Lamp, createOwner('second'), () => ({ light: 'b' }))).toThrow(
    expect.objectContaining({ code: 'SERVICE_TAKEN', message: 'second provides "lamp", but first already does.' }),
  )
  expect(services.use(Lamp, viewer).light).toBe('a')
})

test('one plugin cannot provide a service twice in one generation', () => {
  const services = new Services()
  const owner = createOwner('maker')
  services.provide(Lamp, owner, () => ({ light: 'a' }))
  expect(() => services.provide(Lamp, owner, () => ({ light: 'b' }))).toThrow(/already does/)
})

test('a withdrawn service is gone, and another plugin may provide it then', async () => {
  const services = new Services()
  const first = createOwner('first')
  const withdraw = services.provide(Lamp, first, () => ({ light: 'a' }))
  services.use(Lamp, viewer)
  await withdraw()
  expect(services.find(Lamp, viewer)).toBeUndefined()
  expect(services.ownedBy(first)).toEqual([])
  services.provide(Lamp, createOwner('second'), () => ({ light: 'b' }))
  expect(services.use(Lamp, viewer).light).toBe('b')
})

test('a service whose making fails is made again at the next use', () => {
  const services = new Services()
  let tries = 0
  services.provide(Lamp, createOwner('maker'), () => {
    tries += 1
    if (tries === 1) throw new Error('no bulb')
    return { light: 'on' }
  })
  expect(() => services.use(Lamp, viewer)).toThrow('no bulb')
  expect(services.use(Lamp, viewer).light).toBe('on')
})

test('a pending generation is seen by its own batch only, until it is live', () => {
  const services = new Services()
  const old = createOwner('maker')
  const batch = {}
  const fresh = createOwner('maker', { generation: 2, batch, state: 'pending' })
  services.provide(Lamp, old, () => ({ light: 'old' }))
  services.provide(Lamp, fresh, () => ({ light: 'new' }))
  const partner = createOwner('partner', { generation: 2, batch, state: 'pending' })
  expect(services.use(Lamp, viewer).light).toBe('old')
  expect(services.use(Lamp, partner).light).toBe('new')
  old.state = 'retired'
  fresh.state = 'live'
  expect(services.use(Lamp, viewer).light).toBe('new')
  expect(services.ownedBy(fresh)).toEqual(['lamp'])
})

test('a retired generation that still drains does not keep others from the service', () => {
  const services = new Services()
  const old = createOwner('first', { state: 'retired' })
  services.provide(Lamp, old, () => ({ light: 'old' }))
  expect(services.find(Lamp, viewer)).toBeUndefined()
  services.provide(Lamp, createOwner('second'), () => ({ light: 'new' }))
  expect(services.use(Lamp, viewer).light).toBe('new')
})

test('what may be done with a service is what its provider declares, whatever the token of the caller says', () => {
  const services = new Services()
  services.provide(defineService<Lamp>('vault', { closed: true }), createOwner('maker'), () => ({ light: 'gold' }))
  const stranger = createOwner('stranger', { named: new Set(['vault']) })
  for (const token of [defineService<Lamp>('vault'), defineService<Lamp>('vault', { free: true })])
    expect(() => services.find(token, stranger)).toThrow(expect.objectContaining({ code: 'SERVICE_CLOSED' }))
})
