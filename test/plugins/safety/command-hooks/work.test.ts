/** Events of subagents, of the plan, of summaries, of the folder and of notes: fields, order, and what a hook can stop. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool } from 'svc/sdk'
import { BeforeCompaction, QuestionAsked, SessionCompacted, WorkingFolderChanged } from 'svc/sdk/hooks'
import { BeforePlanChange, type PlanStep, SelectProjectNotes } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hook, shouts, startScene } from './scene.ts'

const lines = (file: string) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : []
/** Notes what a command is given, one event in a line. */
const noting = 'cat >> seen; echo >> seen'

/** The tool that hands work to a subagent. */
const delegate = defineTool({
  name: 'shout',
  description: 'Hands work over.',
  input: z.object({ words: z.string() }),
  effect: 'pure',
  reach: 'nothing',
  toolset: 'test',
  run: async (_, turn) => (await turn.child({ text: 'Count the files.' })).text,
})

test('a subagent reads what a hook prints at its start, and works on while a hook of its end says so', async () => {
  const { type, fake, cwd, results, conversation } = await startScene({
    hooks: {
      SubagentStart: hook(`${noting}; echo "Mind the hidden files."`, {}, 'general-purpose'),
      SubagentStop: hook(`${noting}; test -e again || { touch again; echo "Count again." >&2; exit 2; }`),
      UserPromptSubmit: hook(noting),
      Stop: hook(noting),
    },
    tool: delegate,
    replies: [shouts, 'Three.', 'Four.', 'The helper counted.'],
  })
  await type('go')
  expect(results()).toEqual(['Three.Four.'])
  const { sessionId } = conversation
  const seen = lines(join(cwd, 'seen'))
  expect(seen).toMatchObject([
    { hook_event_name: 'UserPromptSubmit', prompt: 'go' },
    { hook_event_name: 'SubagentStart', session_id: sessionId, agent_type: 'general-purpose' },
    {
      hook_event_name: 'SubagentStop',
      session_id: sessionId,
      stop_hook_active: false,
      last_assistant_message: 'Three.',
    },
    { hook_event_name: 'SubagentStop', stop_hook_active: true, last_assistant_message: 'Four.' },
    { hook_event_name: 'Stop', last_assistant_message: 'The helper counted.' },
  ])
  expect(seen[1]?.['agent_id']).toBe(seen[2]?.['agent_id'])
  expect(seen[1]?.['agent_id']).not.toBe(sessionId)
  const [, first] = fake.requests
  expect(first?.messages.at(-1)?.text).toMatch(
    /^Count the files\.\n\n<data source="hook SubagentStart"[\s\S]*hidden files/,
  )
})

test('a hook of the plan is told of new and completed steps one by one, and blocks them with a reason', async () => {
  const { kernel, conversation, cwd } = await startScene({
    hooks: {
      TaskCreated: hook(noting),
      TaskCompleted: hook(`${noting}; echo "the tests do not pass" >&2; exit 2`),
    },
  })
  const { sessionId } = conversation
  const steps = (...all: [string, PlanStep['status']][]) =>
    all.map(([id, status]) => ({ id, content: `step ${id}`, status }))
  const before = steps(['a', 'in_progress'])
  const same = await kernel.call(BeforePlanChange, { sessionId, before, after: before })
  expect(same?.decision).not.toBe('deny')
  expect(lines(join(cwd, 'seen'))).toEqual([])
  const after = steps(['b', 'pending'], ['a', 'completed'], ['c', 'pending'])
  expect(await kernel.call(BeforePlanChange, { sessionId, before, after })).toMatchObject({
    decision: 'deny',
    reason: 'the tests do not pass',
  })
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    { hook_event_name: 'TaskCreated', task_id: 'b', task_subject: 'step b' },
    { hook_event_name: 'TaskCompleted', task_id: 'a', task_subject: 'step a' },
  ])
})

test('after a compression the summary is told with its trigger, and what a start prints is read with the next message', async () => {
  const { kernel, conversation, cwd, type, fake } = await startScene({
    hooks: {
      PostCompact: hook(noting, {}, 'auto'),
      SessionStart: hook(`${noting}; echo "The branch is main."`, {}, 'compact'),
    },
    replies: ['fine'],
  })
  const { sessionId } = conversation
  const { signal } = new AbortController()
  await kernel.call(BeforeCompaction, { sessionId, signal, focus: '', trigger: 'automatic' })
  const summary = [{ role: 'user', text: 'Much was said.' }] as const
  await kernel.call(SessionCompacted, { sessionId, replaced: 9, summary })
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    { hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: 'Much was said.' },
    { hook_event_name: 'SessionStart', source: 'compact' },
  ])
  await type('go on')
  expect(fake.requests[0]?.messages.at(-1)?.text).toContain('The branch is main.')
})

test('a hook is told of another folder, of notes of the project, and of a question to the person', async () => {
  const { kernel, conversation, cwd } = await startScene({
    hooks: {
      CwdChanged: hook(noting),
      InstructionsLoaded: hook(noting, {}, 'session_start'),
      Notification: hook(noting, {}, 'elicitation_dialog'),
    },
  })
  const { sessionId } = conversation
  await kernel.call(WorkingFolderChanged, { sessionId, cwd: `${cwd}/src` })
  const turn = {
    sessionId,
    turnId: 't1',
    surface: 'cli',
    cwd,
    model: { provider: '', model: '' },
    purpose: 'user',
  } as const
  const notes = [{ path: '../AGENTS.md', text: 'Use tabs.' }]
  const measured = { ...turn, person: conversation.place().person }
  await kernel.call(SelectProjectNotes, notes, measured)
  const occasion = { signal: new AbortController().signal, emit: () => undefined }
  expect(await kernel.call(SelectProjectNotes, notes, { ...measured, occasion })).toEqual(notes)
  await kernel.call(QuestionAsked, { id: 'q1', sessionId, text: 'Which one?', choices: [] })
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    { hook_event_name: 'CwdChanged', old_cwd: cwd, new_cwd: `${cwd}/src` },
    { hook_event_name: 'InstructionsLoaded', file_path: join(cwd, '..', 'AGENTS.md'), memory_type: 'Project' },
    { hook_event_name: 'Notification', notification_type: 'elicitation_dialog', message: 'Which one?' },
  ])
})

test('hooks of these events that hang, print garbage or flood end at their limit and stop nothing', async () => {
  const { kernel, conversation, said } = await startScene({
    hooks: {
      TaskCreated: [
        ...hook('sleep 60', { timeout: 0.2 }),
        ...hook(`printf '{"decision": }'`),
        ...hook('head -c 3000000 /dev/zero'),
      ],
      CwdChanged: hook('sleep 60', { timeout: 0.2 }),
    },
  })
  const { sessionId } = conversation
  const after = [{ id: 'a', content: 'step', status: 'pending' }] as const
  const verdict = await kernel.call(BeforePlanChange, { sessionId, before: [], after })
  expect(verdict?.decision).not.toBe('deny')
  await kernel.call(WorkingFolderChanged, { sessionId, cwd: '/' })
  expect(said.join('\n')).toMatch(/did not end within 0\.2 s/)
  expect(said.join('\n')).toMatch(/begins like JSON and is not/)
  expect(said.join('\n')).toMatch(/more than 1 MiB/)
  expect(said.filter((text) => text.includes('0.2 s'))).toHaveLength(2)
})
