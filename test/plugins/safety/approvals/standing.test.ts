/** What the gate asks, and what the answers cover. */
import type { InlinePlugin } from 'svc'
import {
  type ApprovalChoice,
  type ApprovalRequest,
  Approvals,
  BeforeToolCall,
  type ToolActions,
  type ToolCallEvent,
} from 'svc/sdk'
import { CommandKnowledge, HardLimits, ShellCommandAnalysis, type ShellCommandRisk } from 'svc/sdk/shell'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

/** Answers in order, and remembers what was asked. */
function answering(kernel: TestKernel, answers: readonly (ApprovalChoice | undefined)[]) {
  const asked: ApprovalRequest[] = []
  const off = kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async (request) => answers[asked.push(request) - 1],
  })
  return { asked, off }
}

/** A call of a tool like this, as gates see it. */
function request(acts: ToolActions, tool: Partial<ToolCallEvent['tool']> = {}, cwd = '/srv/project'): ToolCallEvent {
  const facts = {
    name: 'shell',
    description: 'Runs.',
    effect: 'once',
    toolset: 'x',
    reach: 'machine',
    ...tool,
  } as const
  return { name: 'shell', input: {}, tool: facts, acts, turn: fakeToolTurn({ cwd }) }
}

test('a tool that does not say what it reaches is asked about, whatever its effect; one that reaches nothing is not', async () => {
  const kernel = await testKernel({ plugins: ['approvals'] })
  const undeclared: ToolCallEvent = {
    ...request({}),
    tool: { name: 'x', description: '', effect: 'pure', toolset: 'x' },
  }
  expect(await kernel.call(BeforeToolCall, undeclared)).toMatchObject({
    decision: 'ask',
    questions: [{ reason: 'does not say what it reaches', covers: 'every call of the tool shell, whatever it does' }],
  })
  expect(await kernel.call(BeforeToolCall, request({}, { reach: 'nothing' }))).toBeUndefined()
  expect(await kernel.call(BeforeToolCall, request({ command: 'rm -r src' }, { reach: 'nothing' }))).toMatchObject({
    decision: 'ask',
  })
  await kernel.stop()
})

test('what the tool itself asks is put to a person, together with what the patterns say', async () => {
  const kernel = await testKernel({ plugins: ['approvals'] })
  const ask = { reason: 'needs the network', action: 'npm install' }
  expect(await kernel.call(BeforeToolCall, request({ ask }))).toMatchObject({
    questions: [{ reason: 'needs the network', action: 'npm install' }],
  })
  const both = await kernel.call(BeforeToolCall, request({ command: 'rm -r src', ask }))
  expect(both?.questions).toMatchObject([{ reason: expect.stringMatching(/deletes folders.*; needs the network/) }])
  expect(both?.questions?.[0]?.subjects).toBeUndefined()
  await kernel.stop()
})

/** Judges as the test says. */
function judging(dangers: ShellCommandRisk['dangers'], understood = true): InlinePlugin {
  return {
    name: 'judge',
    provides: ['command-risks', 'hard-line', 'command-knowledge'],
    setup: (ctx) => {
      ctx.provide(HardLimits, () => ({ check: async () => undefined }))
      const unknown = understood ? [] : ['the program frobnicate']
      ctx.provide(CommandKnowledge, () => ({ read: async () => ({ understood, unknown, needs: [] }) }))
      ctx.provide(ShellCommandAnalysis, () => ({
        command: async (text) => ({
          ...{ dangers, writes: true, simple: true, text, spellings: [text] },
          ...{ variables: new Map(), read: new Map() },
        }),
        write: async () => undefined,
        remember: () => undefined,
        wrote: () => undefined,
        forget: () => undefined,
      }))
    },
  }
}

test('where a command is confined, only what may be changed there is asked about', async () => {
  const danger = (harm: string) =>
    ({ name: `bad-${harm}`, why: `harms ${harm}`, harm }) as ShellCommandRisk['dangers'][number]
  const harms = ['project', 'machine', 'secrets', 'network', 'svc'].map(danger)
  const kernel = await testKernel({ plugins: ['approvals'], with: [judging(harms)] })
  const confined = { writable: ['/srv/project'], needs: [] }
  const reasons = async (acts: ToolActions) => (await kernel.call(BeforeToolCall, request(acts)))?.reason
  expect(await reasons({ command: 'x', confined })).toBe('harms project')
  expect(await reasons({ command: 'x' })).toBe('harms project; harms machine; harms secrets; harms network; harms svc')
  await kernel.stop()
})

test('what is not fully understood is asked about where nothing holds it, unless approvals.unknown allows it', async () => {
  for (const [unknown, decision] of [
    ['ask', 'ask'],
    ['allow', undefined],
  ]) {
    const kernel = await testKernel({
      plugins: ['approvals'],
      with: [judging([], false)],
      config: { approvals: { unknown } },
    })
    const verdict = await kernel.call(BeforeToolCall, request({ command: 'frobnicate' }))
    expect(verdict?.decision).toBe(decision)
    if (verdict) expect(verdict.reason).toBe('is not fully understood: the program frobnicate')
    const confined = { writable: ['/srv/project'], needs: [] }
    expect(await kernel.call(BeforeToolCall, request({ command: 'frobnicate', confined }))).toBeUndefined()
    expect(
      await kernel.call(BeforeToolCall, request({ command: 'frobnicate' }, { isolated: () => true })),
    ).toBeUndefined()
    await kernel.stop()
  }
})

test('a standing answer covers the pattern below the folders that were named, where it was given, and no more', async () => {
  const targets: string[] = []
  const kernel = await testKernel({
    plugins: ['approvals'],
    with: [judging([{ name: 'recursive-delete', why: 'deletes folders', harm: 'project', targets }])],
  })
  const { asked } = answering(kernel, ['project', ...Array(9).fill('deny')])
  const allowed = async (target: string, cwd = '/srv/project', sessionId = 'ses_1') => {
    targets.splice(0, 1, target)
    const call = request({ command: `rm -r ${target}` }, {}, cwd)
    const turn = fakeToolTurn({ cwd, sessionId })
    const verdict = await kernel.call(BeforeToolCall, { ...call, turn })
    const about = { tool: 'shell', action: 'rm' }
    return (await kernel.use(Approvals).request(verdict?.questions ?? [], about, turn)).allow
  }
  expect(await allowed('/srv/project/build')).toBe(true)
  expect(asked[0]).toMatchObject({
    choices: ['once', 'session', 'project', 'always', 'deny'],
    covers: 'every command that deletes folders, in /srv/project/build and below',
  })
  expect(await allowed('/srv/project/build')).toBe(true)
  expect(await allowed('/srv/project/build/a')).toBe(true)
  expect(await allowed('/srv/project/build', '/srv/project', 'ses_2')).toBe(true)
  expect(asked).toHaveLength(1)
  expect(await allowed('/srv/project/build2')).toBe(false)
  expect(await allowed('/srv/project')).toBe(false)
  expect(await allowed('/srv/project/build/../src')).toBe(false)
  expect(await allowed('/srv/project/build', '/srv/other')).toBe(false)
  expect(await allowed('relative', '/srv/project')).toBe(false)
  const [grant] = JSON.parse((await kernel.run(['approvals', 'list', '--json'])).out)
  expect(grant).toMatchObject({ scope: 'project', holder: '/srv/project' })
  expect((await kernel.run(['approvals', 'list'])).out).toContain('It covers every command that deletes folders')
  await kernel.stop()
})

test('questions of other plugins are put to a person too, and answers never outlive what they say they cover', async () => {
  const kernel = await testKernel({ plugins: ['approvals'] })
  const { asked } = answering(kernel, ['once', 'deny'])
  const about = { tool: 'shell', action: 'deploy' }
  const questions = [{ reason: 'deploys' }, { reason: 'costs money', choices: ['always'] as const }]
  expect(await kernel.use(Approvals).request(questions, about, fakeToolTurn())).toMatchObject({ allow: false })
  expect(asked).toMatchObject([
    { action: 'deploy', choices: ['once', 'deny'] },
    { reason: 'costs money', choices: ['deny'] },
  ])
  expect(await kernel.use(Approvals).request([], about, fakeToolTurn())).toMatchObject({ allow: false })
  await kernel.stop()
})
