import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  decisionHook,
  defineService,
  defineTool,
  notifyHook,
  type Service,
  Tools,
  transformHook,
  wrapHook,
} from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { removeFolder } from '../support/remove-folder.ts'
import { type Fixture, fixtures, write } from './fixtures.ts'

const limitMs = 100
const Ping = notifyHook<string>('test:ping', { limitMs })
const Rewrite = transformHook<string>('test:rewrite', { limitMs })
const Gate = decisionHook<string>('test:gate', { limitMs, verdict: () => ({ decision: 'deny' }) })
const Around = wrapHook<string, string>('test:around', { failure: 'skip', limitMs })
const Health: Service<{ ok(): string }> = defineService('health')

/** A neighbour that listens everywhere and must not notice anything. */
function healthy(heard: string[]) {
  return {
    name: 'healthy',
    provides: ['health'],
    config: 'health',
    setup(ctx: Parameters<Parameters<typeof embed>[0]>[0]) {
      ctx.provide(Health, () => ({ ok: () => 'well' }))
      ctx.on(Ping, (event) => void heard.push(event))
      ctx.on(Rewrite, (text) => `${text}!`)
      const input = z.object({})
      const run = async () => 'well'
      ctx.add(
        Tools,
        defineTool({
          name: 'healthy',
          description: 'is well',
          input,
          effect: 'pure',
          toolset: 'test',
          reach: 'nothing',
          run,
        }),
      )
    },
  }
}
const embed = (setup: (ctx: import('svc/sdk').PluginContext<never>) => void) => setup

const provocations: Record<NonNullable<Fixture['provoke']>, (kernel: TestKernel) => Promise<unknown>> = {
  ping: (kernel) => kernel.call(Ping, 'ping'),
  rewrite: async (kernel) => expect(await kernel.call(Rewrite, 'text')).toBe('text!'),
  gate: async (kernel) => expect(await kernel.call(Gate, 'may I')).toMatchObject({ decision: 'deny' }),
  around: async (kernel) => expect(await kernel.call(Around, 'work', async (text) => `${text} done`)).toBe('work done'),
  service: async (kernel) => expect(() => kernel.use(defineService('box'))).toThrow(/no wood/),
  disable: (kernel) => kernel.plugins.disable('faulty'),
}

for (const fixture of fixtures)
  test(`a plugin that ${fixture.fault} is named long before the usual limits, and its neighbours are well`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'svc-fault-'))
    const hangs = fixture.fault.includes('never')
    const heard: string[] = []
    write(fixture, home)
    const began = performance.now()
    const kernel = await testKernel({
      home,
      audit: fixture.provoke === 'disable',
      limits: hangs ? { import: 900, setup: 400, start: 400 } : {},
      config: { plugins: { enabled: ['faulty', 'agent'], entries: { faulty: fixture.config ?? {} } } },
      with: [healthy(heard)],
      plugins: ['faulty'],
    })
    try {
      if (fixture.provoke) await provocations[fixture.provoke](kernel)
      const took = performance.now() - began
      const reasons = kernel.plugins
        .list()
        .filter(({ dir }) => dir.startsWith(home))
        .map(({ reason }) => reason ?? '')
      const problems = kernel.problems().map(({ plugin, stage, message }) => `${plugin}: ${stage}: ${message}`)
      const said = [...reasons, ...problems, ...strayFailure(kernel, fixture)].join('\n')
      expect(said).toMatch(fixture.said)
      expect(took).toBeLessThan(8000)
      expect(kernel.use(Health).ok()).toBe('well')
      expect(await kernel.call(Rewrite, 'still')).toBe('still!')
      await kernel.call(Ping, 'after')
      expect(heard).toContain('after')
      expect(kernel.plugins.info('healthy')?.status).toBe('started')
      expect(kernel.problems().filter(({ plugin }) => plugin === 'healthy')).toEqual([])
    } finally {
      await kernel.stop()
      removeFolder(home)
    }
  })

/** A service that cannot be made says so to anyone who asks. */
function strayFailure(kernel: TestKernel, fixture: Fixture): string[] {
  if (fixture.provoke !== 'service') return []
  try {
    kernel.find(defineService<object>('box'))
    return []
  } catch (error) {
    return [String(error)]
  }
}

test('there are at least fifty of them', () => {
  expect(fixtures.length).toBeGreaterThanOrEqual(50)
})
