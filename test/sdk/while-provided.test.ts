import { defineService, type PluginContext } from 'svc/sdk'
import { whileProvided } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

interface Bell {
  add(name: string): () => void
}
const Bell = defineService<Bell>('bell')

test('a registration follows its service through reloads and pauses, and ends when it is disposed of', async () => {
  const heard: Set<string>[] = []
  const bell = {
    name: 'bell',
    provides: ['bell'],
    setup(ctx: PluginContext<never>) {
      const names = new Set<string>()
      heard.push(names)
      ctx.provide(Bell, () => ({
        add(name) {
          names.add(name)
          return () => void names.delete(name)
        },
      }))
    },
  }
  let stop: (() => void | Promise<void>) | undefined
  const listener = {
    name: 'listener',
    optional: ['bell'],
    setup(ctx: PluginContext<never>) {
      ctx.onStart(() => {
        stop = whileProvided(ctx, Bell, (service) => service.add('me'))
      })
    },
  }
  await using kernel = await testKernel({ with: [bell, listener] })
  expect([...(heard.at(-1) ?? [])]).toEqual(['me'])
  await kernel.plugins.reload('bell')
  expect(heard.map((names) => [...names])).toEqual([[], ['me']])
  await kernel.plugins.disable('bell')
  await kernel.plugins.enable('bell')
  expect([...(heard.at(-1) ?? [])]).toEqual(['me'])
  await stop?.()
  expect([...(heard.at(-1) ?? [])]).toEqual([])
  await kernel.plugins.reload('bell')
  expect([...(heard.at(-1) ?? [])]).toEqual([])
})
