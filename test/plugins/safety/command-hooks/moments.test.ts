/** Events beside single calls and messages: batches, compression, approvals, the configuration, failures; and `/hooks`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApprovalRequest } from 'svc/sdk'
import { ApprovalRequested, BeforeCompaction, ConfigChanged } from 'svc/sdk/hooks'
import { Commands } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import { hook, prints, shouts, startScene } from './scene.ts'

const added = (text: string) => prints({ hookSpecificOutput: { additionalContext: text } })
const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
/** Notes what a command is given, one event in a line. */
const noting = (file = 'seen') => `cat >> ${file}; echo >> ${file}`

test('a hook of a batch gets all calls of an answer, and its text is behind the results', async () => {
  const both = { calls: [...shouts.calls, { name: 'missing', input: {} }] }
  const { type, fake, cwd } = await startScene({
    hooks: {
      PostToolBatch: hook(`${noting()}; printf '{"hookSpecificOutput":{"additionalContext":"run the tests"}}'`),
    },
    replies: [both, 'done'],
  })
  await type('go')
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    {
      hook_event_name: 'PostToolBatch',
      tool_calls: [
        { tool_name: 'shout', tool_input: { words: 'hello' }, tool_response: { text: 'ran 1' } },
        { tool_name: 'missing', tool_response: { is_error: true } },
      ],
    },
  ])
  const results = fake.requests[1]?.messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []))
  expect(results).toEqual(['ran 1', expect.stringMatching(/\[Note: \[hook PostToolBatch\] run the tests\]$/)])
})

test('what a hook adds before a call is read with its result', async () => {
  const { type, results } = await startScene({
    hooks: { PreToolUse: hook(added('mind the neighbours')) },
    replies: [shouts, 'done'],
  })
  await type('go')
  expect(results()).toEqual(['ran 1\n\n[Note: [hook PreToolUse] mind the neighbours]'])
})

test('a hook of a compression knows what triggers it, and blocks it', async () => {
  const { kernel, conversation, cwd } = await startScene({
    hooks: {
      PreCompact: [...hook(noting(), {}, 'auto'), ...hook('echo "not before the release" >&2; exit 2', {}, 'manual')],
    },
  })
  const { signal } = new AbortController()
  const { sessionId } = conversation
  const attempt = { sessionId, signal, focus: 'the tests' }
  const automatic = await kernel.call(BeforeCompaction, { ...attempt, trigger: 'automatic' })
  expect(automatic?.decision).not.toBe('deny')
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: 'the tests', session_id: sessionId },
  ])
  const manual = await kernel.call(BeforeCompaction, { ...attempt, trigger: 'manual' })
  expect(manual).toMatchObject({ decision: 'deny', reason: expect.stringContaining('not before the release') })
})

test('a hook is notified when a person is asked for an approval', async () => {
  const { kernel, conversation, cwd } = await startScene({
    hooks: { Notification: hook(noting(), {}, 'permission_prompt') },
  })
  const request: ApprovalRequest = {
    ...{ id: 'a1', sessionId: conversation.sessionId, turnId: 't1', tool: 'terminal' },
    ...{ action: 'rm -r build', reason: 'deletes folders', choices: ['once', 'deny'], expiresAt: 0 },
  }
  await kernel.call(ApprovalRequested, request)
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    {
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
      message: 'It deletes folders: rm -r build',
    },
  ])
})

test('a hook is told that the configuration was read again', async () => {
  const { kernel, cwd } = await startScene({ hooks: {} })
  const file = join(cwd, 'seen')
  const other = await startScene({ hooks: { ConfigChange: hook(noting(file), {}, 'user_settings') } })
  await kernel.call(ConfigChanged, { paths: ['model'] })
  await other.kernel.call(ConfigChanged, { paths: ['model'] })
  expect(lines(file)).toMatchObject([{ hook_event_name: 'ConfigChange', source: 'user_settings' }])
})

test('a hook of a failure is told why', async () => {
  const failure = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
  const { type, cwd } = await startScene({ hooks: { StopFailure: hook(noting()) }, replies: [{ failure }] })
  await type('go')
  expect(lines(join(cwd, 'seen'))).toMatchObject([
    { error: 'failed', error_details: expect.stringMatching(/^MODEL_FAILED: .*The key was refused/) },
  ])
})

test('/hooks shows what runs with its last result, tries the hooks of an event, and completes its name', async () => {
  const { type, said, kernel, conversation } = await startScene({
    hooks: { Stop: hook('exit 0'), PreToolUse: hook('exit 3', {}, 'Bash') },
    replies: ['done'],
  })
  await type('/hooks')
  expect(said.at(-1)).toMatch(/`exit 0` \(has not run yet\)/)
  expect(said.at(-1)).toMatch(/`Bash`: `exit 3`/)
  await type('go')
  await type('/hooks')
  expect(
    said
      .at(-1)
      ?.split('\n')
      .find((line) => line.includes('exit 0')),
  ).not.toContain('has not run yet')
  await type('/hooks test PreToolUse')
  expect(said.at(-1)).toMatch(/\d+ ms, `.*3/)
  const completions = await conversation.complete('/hooks test Pre')
  expect(completions.map(({ text }) => text)).toEqual(expect.arrayContaining(['PreToolUse', 'PreCompact']))
  expect(kernel.use(Commands).parse('/hooks', 'gateway')).toMatchObject({ unknown: 'hooks' })
})

test('/hooks says that there are none', async () => {
  const { type, said } = await startScene()
  await type('/hooks')
  expect(said.at(-1)).toMatch(/There are no hooks/)
})
