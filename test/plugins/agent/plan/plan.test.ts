import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BeforeToolCall, Sessions } from 'svc/sdk'
import { fakeProvider, fakeTalk, fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Planning } from '../../../../plugins/agent/plan/plan-mode.ts'

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
  expect(await talk.type('/plan')).toMatch(/Enter a task/)
})

test('a turn that continues after svc was killed still only looks', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'no' } }
  const home = mkdtempSync(join(tmpdir(), 'svc-plan-home-'))
  const cwd = mkdtempSync(join(tmpdir(), 'svc-plan-'))
  onTestFinished(() => {
    for (const folder of [home, cwd]) rmSync(folder, { recursive: true })
  })
  const kernelWith = async (script: Parameters<typeof fakeProvider>[0]) =>
    testKernel({
      home,
      plugins: ['conversation', 'plan', 'tool-files'],
      with: [fakeProvider(script).plugin],
      config: { model: { provider: 'fake', default: 'fake-1' } },
    })
  const first = await kernelWith([{ text: 'never', gate: new Promise(() => {}) }])
  const talk = fakeTalk(first, { cwd })
  const { sessionId } = talk.conversation
  void talk.conversation.type('/plan write x')
  await vi.waitFor(() => expect(first.use(Sessions).open(sessionId).messages()).toHaveLength(1))
  // The journal as a process leaves it that is killed: the turn is open. A restart continues with it.
  const second = await kernelWith([{ calls: [write] }, '# Plan'])
  const turn = second.use(Sessions).open(sessionId).messages()[0]
  expect(turn?.text).toMatch(/^\/plan write x/)
  const [start] = second.use(Sessions).open(sessionId).events()
  const verdict = await second.call(BeforeToolCall, {
    name: 'write_file',
    input: {},
    tool: { name: 'write_file', effect: 'undoable', toolset: 'file' },
    acts: {},
    turn: fakeToolTurn({ sessionId, turnId: start?.turnId ?? '' }),
  } as never)
  expect(verdict).toMatchObject({ decision: 'deny', reason: expect.stringMatching(/Only looking/) })
  await second.stop()
  await first.stop()
})

test('a plan whose message never came restricts no other turn', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'yes' } }
  const { talk, cwd, kernel } = await start([{ calls: [write] }, 'done'])
  const session = kernel.use(Sessions).open(talk.conversation.sessionId)
  new Planning(() => kernel.use(Sessions)).begin(session.id, 'write x')
  await talk.type('just write it')
  expect(readdirSync(cwd)).toEqual(['x.txt'])
})
