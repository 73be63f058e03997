import type { InlinePlugin } from 'svc'
import { PromptParts } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { describe, expect, test } from 'vitest'
import { scene } from '../../../support/scene.ts'

test('a prompt whose parts change is made once: the session keeps the words that services have in their cache', async () => {
  let count = 0
  const { turn, fake } = await scene({
    script: ['one', 'two'],
    with: [
      {
        name: 'clockwork',
        setup: (ctx) =>
          void ctx.add(PromptParts, { name: 'tick', tier: 'volatile', text: async () => `Tick ${++count}.` }),
      },
    ],
  })
  await turn('hello')
  await turn('again')
  const prompts = fake.requests.map(({ messages }) => messages[0])
  expect(prompts[0]).toMatchObject({ role: 'system', text: expect.stringContaining('Tick 1.') })
  expect(prompts[1]).toEqual(prompts[0])
})

describe('a part that fails', () => {
  const broken = (fail: () => string | Promise<string>): InlinePlugin => ({
    name: 'broken-part',
    setup: (ctx) => void ctx.add(PromptParts, { name: 'ruin', tier: 'context', text: fail }),
  })
  const throws = () => {
    throw new TypeError('no such field')
  }

  test.for([
    ['throws', throws],
    ['rejects', async () => throws()],
    ['returns something else', () => 42 as never],
  ] as const)('and %s is left out, reported once with its owner, and the turn continues', async ([, fail]) => {
    const { turn, fake, kernel } = await scene({ plugins: ['prompt'], script: ['one', 'two'], with: [broken(fail)] })
    const events = await turn('hello')
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
    await turn('again')
    expect(fake.requests[0]?.messages[0]).toMatchObject({ text: expect.stringContaining('Working folder:') })
    const problems = kernel
      .use(Plugins)
      .problems()
      .filter(({ stage }) => stage !== 'guard')
    expect(problems).toEqual([expect.objectContaining({ plugin: 'broken-part', stage: 'hook' })])
    expect(problems[0]?.message).toContain('prompt-parts "ruin"')
  })

  test('belongs to a guard: what it tells the model is part of the protection, so no model is asked', async () => {
    const guard: InlinePlugin = { ...broken(throws), guards: ['tool:calling'] }
    const { turn, fake } = await scene({ script: ['one'], with: [guard] })
    const events = await turn('hello')
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
    expect(fake.requests).toEqual([])
  })
})

test('a turn that is stopped while its prompt is built is interrupted, and the session keeps no half of a prompt', async () => {
  const stop = new AbortController()
  let count = 0
  const { turn, fake } = await scene({
    script: ['one'],
    with: [
      {
        name: 'slow-part',
        setup: (ctx) =>
          void ctx.add(PromptParts, {
            name: 'slow',
            tier: 'context',
            text: async () => {
              if (++count === 1) stop.abort()
              return `Part ${count}.`
            },
          }),
      },
    ],
  })
  const events = await turn('hello', { signal: stop.signal })
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
  await turn('again')
  expect(fake.requests).toHaveLength(1)
  expect(fake.requests[0]?.messages[0]).toMatchObject({ text: expect.stringContaining('Part 2.') })
})
