/** Hooks that do not behave: each is reported, and blocks only where the user said so. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isPidInUse } from '../../../../sdk/kit/process/index.ts'
import { hook, prints, shouts, startScene } from './scene.ts'

const faults = [
  ['hangs', 'sleep 600 & echo $! > child; wait', { timeout: 0.5 }, /did not end within 0.5 s/],
  ['prints garbage', `echo '{"decision": '`, {}, /begins like JSON and is not/],
  ['prints a decision that there is not', prints({ decision: 'perhaps' }), {}, /a decision that is not valid/],
  ['answers for another event', prints({ hookSpecificOutput: { hookEventName: 'Stop' } }), {}, /answered for "Stop"/],
  ['floods', 'exec cat /dev/zero', {}, /more than 1 MiB/],
  ['is missing', './no-such-program', {}, /ended with 127/],
  ['cannot be started', '/no/such/program', { args: ['x'] }, /could not be started/],
  ['ends with another code', 'echo "disk full" >&2; exit 1', {}, /ended with 1: disk full/],
] as const

test.for(faults)('a hook that %s is reported, and the call runs', async ([, command, more, problem]) => {
  const { type, said, ran, cwd } = await startScene({
    hooks: { PreToolUse: hook(command, more) },
    replies: [shouts, 'ok'],
  })
  await type('go')
  expect(ran).toHaveLength(1)
  expect(said.join('\n')).toMatch(problem)
  if (existsSync(join(cwd, 'child'))) {
    const child = Number(readFileSync(join(cwd, 'child'), 'utf8'))
    await expect.poll(() => isPidInUse(child)).toBe(false)
  }
})

test.for(faults)('a hook that %s blocks where its failure is to block', async ([, command, more, problem]) => {
  const { type, ran, results } = await startScene({
    hooks: { PreToolUse: hook(command, { ...more, on_failure: 'block' }) },
    replies: [shouts, 'ok'],
  })
  await type('go')
  expect(ran).toEqual([])
  expect(results()[0]).toMatch(problem)
})

test('the environment of a hook holds no secret of svc, names the project, and carries the mark of the agent', async () => {
  process.env['ACME_TEST_TOKEN'] = 'tok-0123456789abcdef'
  try {
    const { type, cwd } = await startScene({ hooks: { UserPromptSubmit: hook('env > env.txt') }, replies: ['ok'] })
    await type('go')
    const environment = readFileSync(join(cwd, 'env.txt'), 'utf8')
    expect(environment).not.toContain('tok-0123456789abcdef')
    expect(environment).toContain(`CLAUDE_PROJECT_DIR=${cwd}`)
    expect(environment).toContain('SVC_SHELL=hooks')
  } finally {
    delete process.env['ACME_TEST_TOKEN']
  }
})

test('hooks of one event run side by side; the same command runs once', async () => {
  const waits = (own: string, other: string) => `touch ${own}; while [ ! -e ${other} ]; do sleep 0.05; done`
  const { type, ran, said, cwd } = await startScene({
    hooks: {
      PreToolUse: [
        ...hook(waits('a', 'b'), { timeout: 60 }),
        ...hook(waits('b', 'a'), { timeout: 60 }),
        ...hook('echo once >> count'),
        ...hook('echo once >> count'),
      ],
    },
    replies: [shouts, 'ok'],
  })
  await type('go')
  expect(said).toEqual([])
  expect(ran).toHaveLength(1)
  expect(readFileSync(join(cwd, 'count'), 'utf8')).toBe('once\n')
})
