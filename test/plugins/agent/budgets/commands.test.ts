import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function start(models: object = {}) {
  const fake = fakeProvider([{ text: 'ok', usage: { input: 1000, output: 24, cachedInput: 400 } }])
  const kernel = await testKernel({
    plugins: ['conversation', 'budgets'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1', ...models } },
  })
  onTestFinished(() => kernel.stop())
  return fakeTalk(kernel)
}

test('/usage tells what the conversation took and how much room is left', async () => {
  const talk = await start({ context_length: 4096 })
  expect(await talk.type('/usage')).toContain('Model calls: 0')
  await talk.type('hi')
  const said = await talk.type('/usage')
  expect(said).toContain('Model: fake-1, Scripted model')
  expect(said).toContain('Tokens read: 1k (400 from the cache)')
  expect(said).toContain('Tokens written: 24')
  expect(said).toMatch(/Cost: /)
  expect(said).toContain('`██░░░░░░` 25% (1k/4.1k)')
})

test('/insights draws the days and the models, and says when there is nothing', async () => {
  const talk = await start()
  expect(await talk.type('/insights 7')).toMatch(/Nothing was used in the last/)
  await talk.type('hi', 'again')
  const said = await talk.type('/insights')
  expect(said).toMatch(/\d{4}-\d\d-\d\d {2}█{20} {2}2k/)
  expect(said).toMatch(/fake\/fake-1 {2}█{20}/)
  expect(said).not.toMatch(/```\w/)
  expect(await talk.type('/insights soon')).toMatch(/how many days/)
})
