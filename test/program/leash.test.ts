import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { expect, test } from 'vitest'
import { findMarked, refusedToAgent } from '../../program/leash.ts'

/** A family as the system shows it: parent and mark by process id. */
function family(rows: Record<number, readonly [parent: number, isMarked: boolean]>) {
  return (pid: number) => {
    const row = rows[pid]
    return row && { parent: row[0], isMarked: row[1] }
  }
}

test('a process is of the agent when it or any ancestor carries the mark', () => {
  const look = family({ 9: [8, false], 8: [7, false], 7: [1, true], 1: [0, false], 5: [1, false] })
  expect(findMarked(9, look)).toBe(7)
  expect(findMarked(7, look)).toBe(7)
  expect(findMarked(5, look)).toBeUndefined()
})

test('a circle of process ids that were used again ends', () => {
  expect(findMarked(2, family({ 2: [3, false], 3: [2, false] }))).toBeUndefined()
})

test.skipIf(process.platform !== 'linux')(
  'a program that takes the mark out of its environment is still found',
  async () => {
    const shell = spawn('bash', ['-c', 'env -i /bin/sh -c "echo \\$\\$; sleep 30" & wait'], {
      env: { ...process.env, [AGENT_PROCESS_VARIABLE]: 'x' },
    })
    const [chunk] = await once(shell.stdout, 'data')
    try {
      expect(findMarked(Number(String(chunk)))).toBe(shell.pid)
    } finally {
      spawnSync('kill', [String(chunk).trim(), String(shell.pid)])
    }
  },
)

const entry = { name: 'thing', description: '', agent: ['list'] } as const

test.each([
  [['list', '--json'], true],
  [['set', 'x'], false],
  [['--json', 'list'], false],
  [['set', '--help'], true],
  [['set', '--', '--help'], false],
  [[], false],
])('of a command the agent may run what its table entry allows: %j', (argv, isAllowed) => {
  expect(refusedToAgent(entry, argv) === undefined).toBe(isAllowed)
})

test('a command whose entry says nothing is refused, and the refusal says what to do', () => {
  expect(refusedToAgent({ name: 'chat', description: '' }, ['--yolo'])).toContain('Ask the user')
})
