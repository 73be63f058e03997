import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hook, prints, shouts, startScene } from './scene.ts'

const shell = {
  name: 'sh',
  knownAs: [{ name: 'Bash', fields: { run_in_background: 'later' } }],
  input: z.object({ command: z.string(), later: z.boolean().default(false) }),
  acts: ({ command }: { command: string }) => ({ command }),
} as never
const calls = { calls: [{ name: 'sh', input: { command: 'echo hi', later: false } }] }

test('a hook is told of a call by the name and the fields that people know, beside the tool’s own', async () => {
  const { cwd, type, conversation } = await startScene({
    hooks: { PreToolUse: hook('cat > told.json', {}, 'Bash'), PostToolUse: hook('cat > after.json', {}, 'Bash|Write') },
    replies: [calls, 'done'],
    tool: shell,
  })
  await type('go')
  const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), 'utf8'))
  expect(read('told.json')).toMatchObject({
    session_id: conversation.sessionId,
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    svc_tool: 'sh',
    tool_input: { command: 'echo hi', run_in_background: false },
  })
  expect(read('after.json')).toMatchObject({ hook_event_name: 'PostToolUse', tool_response: { text: 'ran 1' } })
})

test('a matcher has names, lists and regular expressions, and those it does not match run nothing', async () => {
  const { cwd, type } = await startScene({
    hooks: {
      PreToolUse: [
        ...hook('echo > own', {}, 'sh'),
        ...hook('echo > regular', {}, 'Ba.h$'),
        ...hook('echo > other', {}, 'Write|Edit'),
        ...hook('echo > all', {}, '*'),
      ],
    },
    replies: [calls, 'done'],
    tool: shell,
  })
  await type('go')
  expect(['own', 'regular', 'other', 'all'].map((name) => existsSync(join(cwd, name)))).toEqual([
    true,
    true,
    false,
    true,
  ])
})

test('exit code 2 blocks a call, and the model reads what the hook wrote to standard error', async () => {
  const { type, ran, results } = await startScene({
    hooks: { PreToolUse: hook('echo "not on Fridays" >&2; exit 2') },
    replies: [shouts, 'I see'],
  })
  await type('go')
  expect(ran).toEqual([])
  expect(results()).toEqual([expect.stringContaining('not on Fridays')])
})

test('a decision in JSON denies, asks and lets pass; the strictest of several holds', async () => {
  const decides = (permissionDecision: string) =>
    prints({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason: 'as I say' },
    })
  for (const [decisions, pattern] of [
    [['allow'], /^ran 1/],
    [['allow', 'deny'], /Not allowed: .*as I say/],
    // No person can be asked here.
    [['ask', 'allow'], /Not allowed/],
  ] as const) {
    const { type, results } = await startScene({
      hooks: { PreToolUse: decisions.flatMap((each) => hook(decides(each))) },
      replies: [shouts, 'ok'],
    })
    await type('go')
    expect(results()).toEqual([expect.stringMatching(pattern)])
  }
})

test('the input that a hook changes is parsed, judged and run, in the fields of either name', async () => {
  const update = (updatedInput: object) => hook(prints({ hookSpecificOutput: { updatedInput } }), {}, 'Bash')
  const run = async (updatedInput: object) => {
    const { type, ran, results } = await startScene({
      hooks: { PreToolUse: update(updatedInput) },
      replies: [calls, 'ok'],
      tool: shell,
    })
    await type('go')
    return ran[0] ?? results()[0]
  }
  expect(await run({ command: 'echo hi there' })).toEqual({ command: 'echo hi there', later: false })
  expect(await run({ command: 'echo hi', run_in_background: true })).toEqual({ command: 'echo hi', later: true })
  expect(await run({ command: {} })).toMatch(/A plugin changed the arguments/)
})

test('a hook that runs after a tool adds to its result, or replaces it; a failed tool is an event of its own', async () => {
  const after = await startScene({
    hooks: {
      PostToolUse: [
        ...hook(prints({ decision: 'block', reason: 'lint says no' })),
        ...hook(prints({ hookSpecificOutput: { updatedToolOutput: 'replaced' } })),
        ...hook('echo "read this" >&2; exit 2'),
      ],
    },
    replies: [shouts, 'ok'],
  })
  await after.type('go')
  expect(after.results()[0]).toMatch(/^replaced[\s\S]*lint says no[\s\S]*read this/)
  const failing = await startScene({
    hooks: { PostToolUseFailure: hook('cat > failure.json'), PostToolUse: hook('echo > wrong') },
    replies: [shouts, 'ok'],
    tool: {
      run: async () => {
        throw new Error('hoarse')
      },
    },
  })
  await failing.type('go')
  expect(readFileSync(join(failing.cwd, 'failure.json'), 'utf8')).toContain('hoarse')
  expect(existsSync(join(failing.cwd, 'wrong'))).toBe(false)
})

test('a hook stops the turn with continue: false, and the person reads why', async () => {
  const { type, said, ran, fake } = await startScene({
    hooks: { PreToolUse: hook(prints({ continue: false, stopReason: 'enough for today' })) },
    replies: [shouts, 'never asked'],
  })
  await type('go')
  expect(ran).toEqual([])
  expect(said).toContain('enough for today')
  expect(fake.requests).toHaveLength(1)
})
