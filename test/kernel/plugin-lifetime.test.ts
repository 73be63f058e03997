import { join } from 'node:path'
import { definePlugin, defineService, type PluginContext } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

interface Door {
  readonly open: number
}
const Door = defineService<Door>('door')

/** A plugin whose generations all see the same door, and what happened to it. */
async function house(setup?: (ctx: PluginContext<never>) => void) {
  const happened: string[] = []
  let made = 0
  const kernel = await testKernel({
    audit: true,
    with: [
      {
        name: 'house',
        provides: ['door'],
        setup(ctx: PluginContext<never>) {
          const door = ctx.keep(
            'door',
            (lasting) => {
              lasting.signal.addEventListener('abort', () => happened.push('aborted'))
              lasting.defer(() => void happened.push('lasting disposer'))
              return { open: ++made }
            },
            (kept) => void happened.push(`closed ${kept.open}`),
          )
          ctx.provide(Door, () => door)
          ctx.defer(() => void happened.push('generation disposer'))
          setup?.(ctx)
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  return { kernel, happened }
}

test('what a plugin keeps is the same for each of its generations', async () => {
  const { kernel, happened } = await house()
  const before = kernel.use(Door)
  await kernel.plugins.reload('house')
  expect(kernel.use(Door)).toBe(before)
  expect(happened).toEqual(['generation disposer'])
})

test('what a plugin keeps ends when the plugin is switched off, and begins again with it', async () => {
  const { kernel, happened } = await house()
  await kernel.plugins.reload('house')
  happened.length = 0
  await kernel.plugins.disable('house')
  expect(happened).toEqual(['generation disposer', 'aborted', 'closed 1', 'lasting disposer'])
  await kernel.plugins.enable('house')
  expect(kernel.use(Door).open).toBe(2)
})

test('what a plugin keeps ends with the program', async () => {
  const { kernel, happened } = await house()
  await kernel.stop()
  expect(happened).toContain('closed 1')
})

test('a generation that fails leaves what is kept to the one that serves', async () => {
  const faults = { next: false }
  const { kernel, happened } = await house(() => {
    if (faults.next) throw new Error('broken')
  })
  const before = kernel.use(Door)
  faults.next = true
  await expect(kernel.plugins.reload('house')).rejects.toMatchObject({ code: 'PLUGIN_RELOAD_FAILED' })
  expect(kernel.use(Door)).toBe(before)
  expect(happened).not.toContain('closed 1')
})

test('what is kept is not closed while work of an older generation is under way', async () => {
  const { kernel, happened } = await house()
  const release = kernel.plugins.pin()
  await kernel.plugins.disable('house')
  expect(happened).toEqual([])
  await release()
  await expect.poll(() => happened).toContain('closed 1')
})

test('a context that outlives generations has the settings of the one that serves', async () => {
  const { writeFileSync } = await import('node:fs')
  const { z } = await import('zod')
  const seen: { ctx?: PluginContext<{ color: string }> } = {}
  const plugin = definePlugin({
    config: z.object({ color: z.string().default('white') }),
    setup(ctx) {
      seen.ctx = ctx.keep('context', (lasting) => lasting)
    },
  })
  const home = (await import('../support/temporary.ts')).temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), '{}\n')
  await using kernel = await testKernel({ home, with: [{ name: 'paint', ...plugin } as never] })
  expect(seen.ctx?.config.color).toBe('white')
  writeFileSync(join(home, 'config.yaml'), 'plugins: { entries: { paint: { color: red } } }\n')
  await kernel.applyConfig()
  expect(seen.ctx?.config.color).toBe('red')
})

test('a context that outlives generations registers nothing that a manifest declares', async () => {
  const seen: { ctx?: PluginContext<never> } = {}
  const { kernel } = await house((ctx) => {
    seen.ctx = ctx.keep('context', (lasting) => lasting)
  })
  expect(() => seen.ctx?.provide(Door, () => ({ open: 0 }))).toThrow(/provide/)
  expect(kernel.problems()).toEqual([])
})

test('what a kept thing opened is not counted against the generation that was replaced', async () => {
  const timers: NodeJS.Timeout[] = []
  const { kernel } = await house((ctx) => {
    ctx.keep(
      'timer',
      () => void timers.push(setInterval(() => {}, 1e6)),
      () => timers.forEach(clearInterval),
    )
  })
  await kernel.plugins.reload('house')
  expect(kernel.problems()).toEqual([])
  await kernel.plugins.disable('house')
  expect(kernel.problems()).toEqual([])
})
