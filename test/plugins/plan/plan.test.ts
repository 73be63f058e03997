import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function start(script: Parameters<typeof fakeProvider>[0]) {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-plan-'))
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['conversation', 'plan', 'tool-files', 'tool-todo'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(async () => {
    await kernel.stop()
    rmSync(cwd, { recursive: true })
  })
  return { kernel, cwd, talk: fakeTalk(kernel, { cwd }) }
}

test('while a plan is made nothing is written, and the plan is in a file afterwards', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'no' } }
  const look = { name: 'list_files', input: { path: '.' } }
  const { talk, cwd, kernel } = await start([
    { calls: [write, look] },
    '# Plan\n\n1. Do it.',
    { calls: [write] },
    'done',
  ])
  const said = await talk.type('/plan Write x, please!')
  const [, file = ''] = /plan is in (\S+\.md)\./.exec(said) ?? []
  expect(file).toMatch(/^\.svc\/plans\/\d{4}-\d\d-\d\d_\d{6}-write-x-please\.md$/)
  expect(readFileSync(join(cwd, file), 'utf8')).toBe('# Plan\n\n1. Do it.\n')
  expect(readdirSync(cwd)).toEqual(['.svc'])
  const results = kernel
    .use(Sessions)
    .open(talk.conversation.sessionId)
    .messages()
    .filter(({ role }) => role === 'tool')
  expect(results.map((message) => message.role === 'tool' && message.failed === true)).toEqual([true, false])
  await talk.type('do it')
  expect(readdirSync(cwd).sort()).toEqual(['.svc', 'x.txt'])
})

test('a turn that fails leaves no file, and nothing is denied afterwards', async () => {
  const { talk, cwd } = await start([{ failure: { kind: 'auth', message: 'no key' } }])
  expect(await talk.type('/plan something')).toMatch(/no plan/)
  expect(readdirSync(cwd)).toEqual([])
  expect(await talk.type('/plan')).toMatch(/Type what is to be planned/)
})
