import { SlashCommands } from 'svc/sdk'
import { conformance, testKernel } from 'svc/sdk/testing'
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
    with: [{ name: 'hello-plugin', ...plugin }],
    config: { plugins: { entries: { 'hello-plugin': { greeting: 'Servus' } } } },
  })
  const greet = kernel.all(SlashCommands).get('greet')
  const at = { sessionId: undefined, surface: 'cli', cwd: '.', signal: new AbortController().signal } as const
  expect(await greet?.run('Ada', at)).toBe('Servus, Ada!')
  expect(await greet?.run('', at)).toBe('Servus, you!')
})
