import { conformance, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import plugin from './index.ts'

test('it is what a plugin has to be', async () => {
  const report = await conformance({
    dir: import.meta.dirname,
    samples: { greet: [{ input: { name: 'Ada' }, text: 'Hello, Ada!' }] },
  })
  expect(report.cases.filter(({ result }) => result !== 'ok')).toEqual([])
})

test('the user is greeted in the words of config.yaml', async () => {
  await using kernel = await testKernel({
    plugins: ['conversation'],
    with: [{ name: 'hello-plugin', ...plugin }],
    config: { plugins: { entries: { 'hello-plugin': { greeting: 'Servus' } } } },
  })
  const talk = fakeTalk(kernel)
  expect(await talk.type('/greet Ada')).toBe('Servus, Ada!')
  expect(await talk.type('/greet')).toBe('Servus, you!')
})
