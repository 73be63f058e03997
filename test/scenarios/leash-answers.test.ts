/** While a question waits on a person's screen, programs of the agent try to answer it: only the person does. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { expect, test } from 'vitest'
import { Desk, eventually, program, result } from '../support/desk.ts'
import { root } from '../support/repository.ts'

const asker = join(root, 'test/plugins/messaging/control/asker.mjs')
const rm = { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim' } }] }

/** Ways to answer the question with this id, for a shell. */
function ways(home: string, id: string): Record<string, string> {
  const svc = `node ${program}`
  const db = join(home, 'data/approvals/approvals.db')
  const answer = `UPDATE requests SET choice='once', answered_by='you', answered_at=1, used=0`
  const grant = `INSERT INTO standing (id,scope,holder,subject,covers,action,reason,cwd,granted_at,granted_by) SELECT 'x'||rowid,'always','',hash,'','','','/',1,'x' FROM requests`
  const params = JSON.stringify({ id, choice: 'once' })
  const open = (name: string) =>
    `import sqlite3; c=sqlite3.connect("${db}", timeout=9); c.execute("${name}"); c.commit()`
  return {
    'svc approvals answer': `${svc} approvals answer ${id} once`,
    'with a profile before it': `${svc} -p default approvals answer ${id} once`,
    'with an empty environment': `env -i SVC_HOME=${home} PATH="$PATH" ${svc} approvals answer ${id} once`,
    'in a session of its own': `setsid --wait env -u ${AGENT_PROCESS_VARIABLE} ${svc} approvals answer ${id} once`,
    'in the background': `nohup env -u ${AGENT_PROCESS_VARIABLE} ${svc} approvals answer ${id} once > /dev/null 2>&1 & wait`,
    'over the socket': `node ${asker} ${home} approvals.answer '${params}'`,
    'over the socket, with an empty environment': `env -i PATH="$PATH" node ${asker} ${home} approvals.answer '${params}'`,
    'over the socket, without a proof': `node ${asker} ${home} approvals.answer '${params}' silent`,
    'over the socket, with a helper': `node ${asker} ${home} approvals.answer '${params}' twice`,
    'disabling the plugin over the socket': `node ${asker} ${home} plugins.disable '{"name":"approvals"}'`,
    'reloading the plugin over the socket': `node ${asker} ${home} plugins.reload '{"name":"approvals"}'`,
    'python writes the answer': `python3 -c '${open(answer.replaceAll("'", '\\x27'))}'`,
    'python writes a grant': `python3 -c '${open(grant.replaceAll("'", '\\x27'))}'`,
  }
}

test.skipIf(process.platform !== 'linux')('nobody but the person answers', { timeout: 120_000 }, async () => {
  const desk = await Desk.lay({
    replies: (_, request) => (result(request) === undefined ? rm : 'Very well.'),
    config: ['approvals:', '  timeout: 300'],
  })
  desk.write('victim', 'a day of work')
  const terminal = await desk.ready()
  terminal.type('tidy up')
  terminal.press('Enter')
  await terminal.shows(/victim[\s\S]*deny/i)
  const env = { PATH: process.env['PATH'], SVC_HOME: desk.home, HOME: desk.home }
  const [request] = JSON.parse(await run(`node ${program} approvals pending --json`, env)) as { id: string }[]
  expect(readdirSync(join(desk.home, 'run'))).toHaveLength(1)
  for (const [name, command] of Object.entries(ways(desk.home, request?.id ?? ''))) {
    const said = await run(`${command}; true`, { ...env, [AGENT_PROCESS_VARIABLE]: 'x' })
    if (!/python|background/.test(name)) expect(said, name).toMatch(/CLI_IN_AGENT|CONTROL_AGENT|CONTROL_UNPROVEN/)
    expect(said, name).not.toContain('Traceback')
    expect(desk.has('victim'), `${name}: ${said}`).toBe(true)
  }
  // The question is still there, and the person's own terminal answers it.
  expect(await run(`node ${program} approvals answer ${request?.id} once`, env)).toContain('Answered')
  await eventually(() => expect(existsSync(join(desk.cwd, 'victim'))).toBe(false))
  await terminal.shows(/svc approvals/)
})

async function run(command: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const child = spawn('bash', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return out + err
}
