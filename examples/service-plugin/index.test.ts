import { definePlugin, Tools } from 'svc/sdk'
import { conformance, fakeToolTurn, testKernel, virtualClock } from 'svc/sdk/testing'
import { ApiRoutes } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { Bookmarks } from './bookmarks.ts'
import plugin from './index.ts'
import manifest from './plugin.json' with { type: 'json' }

async function open(options: Parameters<typeof testKernel>[0] = {}) {
  const { with: more = [], ...rest } = options
  const kernel = await testKernel({ ...rest, with: [{ ...(manifest as object), ...plugin } as never, ...more] })
  onTestFinished(() => kernel.stop())
  return kernel
}

test('it is what a plugin has to be', async () => {
  const report = await conformance({ dir: import.meta.dirname })
  expect(report.cases.filter(({ result }) => result === 'failed')).toEqual([])
})

test('the shell command, the tool and the route show the same bookmarks', async () => {
  const clock = virtualClock()
  const kernel = await open({ clock })
  expect(await kernel.run(['bookmarks'])).toMatchObject({ code: 0, out: 'There are no bookmarks.\n' })
  expect((await kernel.run(['bookmarks', 'https://a.example', 'A'])).out).toBe('Added: A\n')
  await clock.advance(1000)
  const tool = kernel.all(Tools).get('add_bookmark')
  expect(await tool?.run({ url: 'https://b.example', title: 'B' }, fakeToolTurn())).toBe('Added: B')
  expect((await kernel.run(['bookmarks'])).out).toBe('B  https://b.example\nA  https://a.example\n')
  const reply = await kernel
    .all(ApiRoutes)
    .get('GET /v1/bookmarks')
    ?.handle({} as never)
  expect(JSON.parse(`${reply?.body}`).data.map(({ title }: { title: string }) => title)).toEqual(['B', 'A'])
})

test('the job removes bookmarks that are too old', async () => {
  const clock = virtualClock()
  const kernel = await open({ clock, config: { plugins: { entries: { 'service-plugin': { keep_days: 1 } } } } })
  kernel.use(Bookmarks).add('https://a.example', 'A')
  await clock.advance(26 * 3_600_000)
  await expect.poll(() => kernel.use(Bookmarks).list()).toEqual([])
})

test('another plugin uses the service', async () => {
  const reader = {
    name: 'reader',
    requires: ['bookmarks'],
    provides: ['reader'],
    ...definePlugin({ setup: (ctx) => ctx.use(Bookmarks).add('https://c.example', 'C') }),
  }
  const kernel = await open({ with: [reader] })
  expect(kernel.use(Bookmarks).list()).toMatchObject([{ title: 'C' }])
})

test('its texts are translated', async () => {
  const kernel = await open({ plugins: ['language'], config: { display: { language: 'de' } } })
  expect((await kernel.run(['bookmarks'])).out).toBe('Es gibt keine Lesezeichen.\n')
})
