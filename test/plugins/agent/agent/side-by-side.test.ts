/** How many calls of one answer run at once, and when each of them is told of. */
import { defineTool, type Tool } from 'svc/sdk'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { scene, toolPlugin } from '../../../support/scene.ts'

const next = () => new Promise((resolve) => setImmediate(resolve))

/** A tool that notes how many of its calls run at once. */
function counting(more: Partial<Tool> = {}) {
  const counts = { now: 0, most: 0, all: 0 }
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    input: z.object({ at: z.number() }),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    async run() {
      counts.all += 1
      counts.most = Math.max(counts.most, ++counts.now)
      for (let round = 0; round < 5; round++) await next()
      counts.now -= 1
      return 'done'
    },
    ...more,
  } as Tool)
  return { counts, tool }
}

const calls = Array.from({ length: 5 }, (_, at) => ({ name: 'work', input: { at } }))

test('calls of a tool that does not say that it may run side by side come one after the other', async () => {
  const { counts, tool } = counting()
  const { turn } = await scene({ script: [{ calls }, 'done'], with: [toolPlugin(tool)] })
  await turn('go')
  expect(counts).toEqual({ now: 0, most: 1, all: 5 })
})

test('no more calls run at once than the settings allow', async () => {
  const { counts, tool } = counting({ parallel: true })
  const config = { agent: { max_parallel_tools: 2 } }
  const { turn } = await scene({ script: [{ calls }, 'done'], with: [toolPlugin(tool)], config })
  await turn('go')
  expect(counts).toEqual({ now: 0, most: 2, all: 5 })
})

test('what is done is on disk while the calls beside it still run: a crash does not repeat it', async () => {
  let found: readonly string[] = []
  const { tool } = counting({
    parallel: true,
    run: async (input) => {
      const { at } = input as { at: number }
      const look = () => {
        found = session.events().flatMap((event) => (event.type === 'tool.complete' ? [event.text] : []))
        expect(found).not.toEqual([])
      }
      if (at === 1) await vi.waitFor(look, { timeout: 10_000, interval: 5 })
      return `done ${at}`
    },
  })
  const { turn, session } = await scene({ script: [{ calls: calls.slice(0, 2) }, 'done'], with: [toolPlugin(tool)] })
  await turn('go')
  expect(found).toEqual(['done 0'])
})
