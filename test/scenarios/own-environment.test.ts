/** Other programs of the user cannot read secrets in `/proc/<pid>/environ` of svc, although svc was started with them. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Desk, eventually, program, programsIn, result } from '../support/desk.ts'
import { missingTmux } from '../support/tmux.ts'

/** By name, by the declaration of a plugin, and by a name in lower case. */
const secrets = {
  CUSTOM_API_KEY: 'first-canary-4711',
  AWS_BEARER_TOKEN_BEDROCK: 'second-canary-4711',
  my_db_password: 'third-canary-4711',
}
const config = ['approvals:', '  mode: "off"', 'terminal:', '  confine: "off"']
const isLinux = process.platform === 'linux'

/** What the environment of a process was at its start, as every program of this user can read it. */
function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    // It has ended.
    return ''
  }
}

/** A process and all below it. */
function family(root: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const]
    } catch {
      return []
    }
  })
  const found = [root]
  for (const pid of found) found.push(...parents.flatMap(([child, parent]) => (parent === pid ? [child] : [])))
  return found
}

test.skipIf(!isLinux)('an unconfined command of the agent finds no secret in the environment of svc', async () => {
  const read = 'cat /proc/[0-9]*/environ > seen 2>/dev/null; true'
  const desk = await Desk.lay({
    replies: (_, request) =>
      result(request) === undefined ? { calls: [{ name: 'terminal', arguments: { command: read } }] } : 'Done.',
    config,
  })
  const env = { PATH: process.env['PATH'], HOME: desk.cwd, SVC_HOME: desk.home, ...secrets }
  const run = promisify(execFile)(process.execPath, [program, 'chat', '--yolo', '-q', 'go'], { cwd: desk.cwd, env })
  run.child.stdin?.end()
  expect((await run).stdout).toContain('Done.')
  const seen = readFileSync(join(desk.cwd, 'seen'), 'latin1')
  // Compared as yes or no: a failure must not print the variables of all programs of this machine.
  expect(seen.includes(`SVC_HOME=${desk.home}\0`)).toBe(true)
  for (const [name, value] of Object.entries(secrets)) {
    expect(seen.includes(`${name}=\0`), name).toBe(true)
    expect(seen.includes(value), value).toBe(false)
  }
  // svc itself still has the key.
  expect(desk.model.requests[0]?.headers['authorization']).toBe(`Bearer ${secrets.CUSTOM_API_KEY}`)
})

test.skipIf(!isLinux || missingTmux() !== undefined)(
  'neither svc in a terminal nor the programs that it keeps running show a secret',
  async () => {
    const desk = await Desk.lay({ config, env: secrets })
    const terminal = await desk.ready()
    const [svc = 0] = programsIn(terminal)
    await eventually(() => expect(family(svc).length).toBeGreaterThan(1))
    const shown = family(svc).map(readEnvironment).join('\n')
    expect(shown.includes('SVC_HOME=')).toBe(true)
    expect(Object.values(secrets).filter((value) => shown.includes(value))).toEqual([])
  },
)
