/** What a chat is shown besides answers, as `display.platforms` says. */
import { defineTool, Tools } from 'svc/sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { stage } from './stage.ts'

const look = defineTool({
  name: 'look',
  description: 'Look',
  input: z.object({ at: z.string() }),
  effect: 'pure',
  toolset: 'test',
  reach: 'nothing',
  run: async ({ at }) => `seen ${at}`,
})
const looking = {
  name: 'looking',
  contributes: { tools: ['look'] },
  setup: (ctx: { add(point: typeof Tools, tool: typeof look): unknown }) => void ctx.add(Tools, look),
}
const calls = (...places: readonly string[]) => ({ calls: places.map((at) => ({ name: 'look', input: { at } })) })
const script = [{ reasoning: 'First I look.\nThen I say.', ...calls('a', 'b') }, { text: 'It is there.' }]

async function shown(display: object, more: Parameters<typeof stage>[1] = {}) {
  const { fake, gateway, said } = await stage(script as never, {
    plugins: ['display'],
    with: [looking as never],
    config: { display },
    ...more,
  })
  await fake.say('ada', 'where is it?')
  await gateway.idle()
  return said()
}

test('by default a chat is shown the answer alone', async () => {
  expect(await shown({})).toEqual(['It is there.'])
})

test('tools are shown as display.platforms says for this platform, and not as it says for another', async () => {
  expect(await shown({ platforms: { fake: { tool_progress: 'new' } } })).toEqual(['⚙️ look', 'It is there.'])
  expect(await shown({ platforms: { other: { tool_progress: 'all' } } })).toEqual(['It is there.'])
})

test('all tools are shown with all, and what they were given and gave with verbose', async () => {
  expect(await shown({ platforms: { fake: { tool_progress: 'all' } } })).toEqual(['⚙️ look\n⚙️ look', 'It is there.'])
  const [tools] = await shown({ platforms: { fake: { tool_progress: 'verbose' } } })
  expect(tools).toBe('⚙️ look {"at":"a"} ✓ seen a\n⚙️ look {"at":"b"} ✓ seen b')
})

test('a platform has its own standard, which a general value stands over only when someone set it', async () => {
  const platform = { limits: { toolProgress: 'new' } } as const
  expect(await shown({}, { platform })).toEqual(['⚙️ look', 'It is there.'])
  expect(await shown({ tool_progress: 'off' }, { platform })).toEqual(['It is there.'])
})

test('what the model thinks is shown as a quotation, at most ten lines of it', async () => {
  const platforms = { fake: { show_reasoning: true } }
  expect(await shown({ platforms })).toEqual(['> 💭\n> First I look.\n> Then I say.', 'It is there.'])
})

test('what a turn cost is shown behind it', async () => {
  const said = await shown({ platforms: { fake: { show_cost: true } } })
  expect(said.at(-1)).toMatch(/↑ \S+ ↓ \S+/)
  expect(said.at(-2)).toBe('It is there.')
})
