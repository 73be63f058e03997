/** What holds for all points, hooks and registrations alike; see test/architecture/one-way.test.ts for the declarations. */
import { definePlugin, extensionPoint, notifyHook, Questions } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

interface Item {
  readonly name: string
  readonly order?: number
}

const Items = extensionPoint<Item>('test-items', (item) => item.name)
const Pinged = notifyHook<string>('test:pinged')

type Setup = Parameters<typeof definePlugin>[0]['setup']

const open = (setup: Setup) => testKernel({ with: [{ name: 'orders', ...definePlugin({ setup }) }] })

test('items of a point come by their order, and as they were added where it is the same', async () => {
  await using kernel = await open((ctx) => {
    for (const item of [
      { name: 'last', order: 90 },
      { name: 'usual' },
      { name: 'fifty', order: 50 },
      { name: 'first', order: -1 },
    ])
      ctx.add(Items, item)
  })
  expect(
    kernel
      .all(Items)
      .all()
      .map(({ name }) => name),
  ).toEqual(['first', 'usual', 'fifty', 'last'])
})

test('an order that is not a number is refused', async () => {
  await using kernel = await open((ctx) => void ctx.add(Items, { name: 'odd', order: 'first' as never }))
  expect(kernel.problems()).toMatchObject([{ code: 'CONTRIBUTION_INVALID', message: expect.stringContaining('order') }])
})

test('listeners run by their order; the stage of earlier plugins is the order less 50', async () => {
  const heard: string[] = []
  await using kernel = await open((ctx) => {
    ctx.on(Pinged, () => void heard.push('stage 10'), { stage: 10 })
    ctx.on(Pinged, () => void heard.push('usual'))
    ctx.on(Pinged, () => void heard.push('order 55'), { order: 55 })
    ctx.on(Pinged, () => void heard.push('order 49'), { order: 49 })
  })
  await kernel.call(Pinged, 'now')
  expect(heard).toEqual(['order 49', 'usual', 'order 55', 'stage 10'])
})

test('a registration is undone by a call, by using and by await using, once', async () => {
  await using kernel = await open((ctx) => {
    {
      using _added = ctx.add(Items, { name: 'short' })
      expect(ctx.all(Items).get('short')).toBeDefined()
    }
    expect(ctx.all(Items).get('short')).toBeUndefined()
    const called = ctx.add(Items, { name: 'called' })
    void called()
    void called()
    expect(ctx.all(Items).all()).toEqual([])
  })
  expect(kernel.problems()).toEqual([])
})

test('await using waits for the end, and a second end waits for the first', async () => {
  const ended: string[] = []
  const end = async () => {
    await Promise.resolve()
    ended.push('end')
  }
  const registration = toRegistration(end)
  {
    await using _once = registration
  }
  expect(ended).toEqual(['end'])
  await registration()
  expect(ended).toEqual(['end'])
})

test('what a service returned for a registration can be declared with using', async () => {
  await using kernel = await testKernel({ plugins: ['people'] })
  const questions = kernel.use(Questions)
  const respondent = { name: 'me', reaches: () => true, ask: async () => undefined }
  {
    using _connected = questions.connect(respondent)
  }
  expect(typeof questions.connect(respondent)[Symbol.asyncDispose]).toBe('function')
})
