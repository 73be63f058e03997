import { extensionPoint } from 'svc/sdk'
import { expect, test, vi } from 'vitest'
import { type OnItemError, Points } from '../../kernel/points.ts'
import { createOwner } from '../support/owners.ts'

const Lamps = extensionPoint<{ readonly name: string; glow(): unknown }>('lamps', (lamp) => lamp.name)

function open() {
  let now = 0
  const onError = vi.fn<OnItemError>()
  const points = new Points(() => now, onError)
  const add = (name: string, glow: () => unknown) => {
    const lamp = { name, glow }
    points.add(Lamps, lamp, createOwner(`plugin-of-${name}`))
    return lamp
  }
  const view = points.view(Lamps, createOwner('reader'))
  const wait = (ms: number) => {
    now += ms
  }
  return { add, view, onError, wait }
}

const isText = (value: unknown) => typeof value === 'string'

test('an item that fails is charged to its plugin, which is suspended after five faults; others continue', () => {
  const { add, view, onError } = open()
  const broken = add('broken', () => {
    throw new Error('no power')
  })
  const fine = add('fine', () => 'light')
  const glow = vi.spyOn({ glow: broken.glow }, 'glow')
  for (let n = 0; n < 8; n++) {
    expect(view.attempt(broken, glow as never)).toBeUndefined()
    expect(view.attempt(fine, () => fine.glow(), isText)).toBe('light')
  }
  expect(glow).toHaveBeenCalledTimes(5)
  expect(onError.mock.calls.map(([owner, place, , suspended]) => [owner.name, place, suspended])).toEqual([
    ...Array.from({ length: 4 }, () => ['plugin-of-broken', 'lamps "broken"', false]),
    ['plugin-of-broken', 'lamps "broken"', true],
  ])
})

test('a value that cannot be used counts as a fault of its author', () => {
  const { add, view, onError } = open()
  const odd = add('odd', () => 42)
  expect(view.attempt(odd, () => odd.glow(), isText)).toBeUndefined()
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({ name: 'plugin-of-odd' }),
    'lamps "odd"',
    expect.objectContaining({ code: 'CONTRIBUTION_INVALID' }),
    false,
  )
})

test('faults of more than a minute ago are forgotten', () => {
  const { add, view, wait } = open()
  const flaky = add('flaky', () => {
    throw new Error('flicker')
  })
  const glow = vi.fn(flaky.glow)
  for (let n = 0; n < 20; n++) {
    view.attempt(flaky, glow)
    wait(20_000)
  }
  expect(glow).toHaveBeenCalledTimes(20)
})

test('a promise that rejects, or gives what cannot be used, is charged too', async () => {
  const { add, view, onError } = open()
  const late = add('late', async () => 'light')
  expect(await view.attempt(late, async () => late.glow(), isText)).toBe('light')
  expect(onError).not.toHaveBeenCalled()
  expect(await view.attempt(late, async () => 42, isText)).toBeUndefined()
  expect(await view.attempt(late, () => Promise.reject(new Error('no power')))).toBeUndefined()
  expect(onError.mock.calls.map(([owner, place]) => [owner.name, place])).toEqual([
    ['plugin-of-late', 'lamps "late"'],
    ['plugin-of-late', 'lamps "late"'],
  ])
})
