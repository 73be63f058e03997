import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { type ApprovalRequest, Approvals, BeforeToolCall, defineTool, Sessions, Tools } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { fakeToolTurn, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { passGates } from '../../../support/gates.ts'
import { answering, start, turn } from './stage.ts'

test('with no one to ask, a dangerous command is denied at once and a harmless one runs', async () => {
  const { kernel, ran } = await start(['rm -r src', 'ls'])
  const { results } = await turn(kernel)
  expect(ran).toEqual(['ls'])
  expect(results[0]).toMatch(/no person is reachable who could be asked.*do not look for another way/s)
  await kernel.stop()
})

test('a person is shown the command and the reason; once holds once, and both events are in the stream', async () => {
  const { kernel, ran } = await start(['rm -r src', 'rm -r src'])
  const { asked } = answering(kernel, ['once', 'deny'])
  const { events } = await turn(kernel)
  expect(ran).toEqual(['rm -r src'])
  expect(asked[0]).toMatchObject({
    tool: 'shell',
    action: 'rm -r src',
    reason: 'deletes folders and everything in them',
  })
  const types = events.map(({ type }) => type).filter((type) => type.startsWith('approval'))
  expect(types).toEqual(['approval.request', 'approval.answer', 'approval.request', 'approval.answer'])
  expect(kernel.use(Approvals).pending()).toEqual([])
  await kernel.stop()
})

test('session holds for what the question said it covers, and what has operators is allowed once', async () => {
  const { kernel, ran } = await start(['rm -r a', 'rm -r a', 'rm -r b', 'ls; rm -r a'])
  const { asked } = answering(kernel, ['session', 'deny', 'deny'])
  await turn(kernel)
  expect(ran).toEqual(['rm -r a', 'rm -r a'])
  expect(asked.map(({ choices }) => choices.length)).toEqual([5, 5, 2])
  expect(asked.map(({ covers }) => covers)).toEqual([
    expect.stringContaining('/srv/project'),
    expect.stringContaining('/srv/project'),
    undefined,
  ])
  await kernel.stop()
})

test('always holds for the same command in the same folder, is listed, and can be taken back', async () => {
  const { kernel, ran } = await start(['rm -r a', 'rm -r a', 'rm -r b'])
  const { asked } = answering(kernel, ['always', 'deny'])
  await turn(kernel)
  expect(ran).toEqual(['rm -r a', 'rm -r a'])
  expect(asked).toHaveLength(2)
  const [grant] = JSON.parse((await kernel.run(['approvals', 'list', '--json'])).out)
  expect(grant).toMatchObject({ action: 'rm -r a', cwd: '/srv/project', grantedBy: 'test' })
  expect(await kernel.run(['approvals', 'revoke', grant.id])).toMatchObject({ code: 0 })
  expect((await kernel.run(['approvals', 'revoke', grant.id])).err).toContain('APPROVAL_GRANT_UNKNOWN')
  expect((await kernel.run(['approvals', 'list'])).out).toContain('Nothing was allowed for ever')
  await kernel.stop()
})

test('the hard line and the deny list hold in mode off and are never asked about', async () => {
  const { kernel, ran } = await start(['rm -rf /', 'r"m" -rf ~', 'git pu""sh x', 'rm -r src'], {
    mode: 'off',
    deny: ['git push*'],
  })
  const { asked } = answering(kernel, [])
  const { results } = await turn(kernel)
  expect(ran).toEqual(['rm -r src'])
  expect(asked).toEqual([])
  expect(results[0]).toContain('no setting and no answer allows')
  expect(results[2]).toContain('approvals.deny')
  await kernel.stop()
})

test('the allow list lets single commands through, not what hangs on them', async () => {
  const { kernel, ran } = await start(['rm -r dist', 'rm -r dist; rm -r src'], { allow: ['rm -r dist*'] })
  await turn(kernel)
  expect(ran).toEqual(['rm -r dist'])
  await kernel.stop()
})

test('a variable of an earlier command is remembered', async () => {
  const { kernel, ran } = await start(['X=rm', '$X -rf /'])
  const { results } = await turn(kernel)
  expect(ran).toEqual(['X=rm'])
  expect(results[1]).toContain('no setting and no answer allows')
  await kernel.stop()
})

test('silence is a denial when the time is over', async () => {
  const clock = virtualClock()
  const { kernel, ran } = await start(['rm -r src'], { timeout: 5 }, { clock })
  const shown = new Promise<ApprovalRequest>((resolve) => {
    kernel.use(Approvals).connect({
      name: 'sleeper',
      reaches: () => true,
      ask: (request, signal) => {
        resolve(request)
        return new Promise((done) => signal.addEventListener('abort', () => done(undefined)))
      },
    })
  })
  const running = turn(kernel)
  const request = await shown
  expect(kernel.use(Approvals).pending()).toEqual([request])
  await clock.advance(5000)
  expect((await running).results[0]).toContain('no answer came within 5 s')
  expect(ran).toEqual([])
  expect(() => kernel.use(Approvals).answer(request.id, 'once', 'late')).toThrow(/waits for an answer/)
  await kernel.stop()
})

test('where a person sits a question has no time limit', async () => {
  const clock = virtualClock()
  const { kernel, ran } = await start(['rm -r src'], { timeout: 5 }, { clock })
  const shown = new Promise<ApprovalRequest>((resolve) => {
    kernel.use(Approvals).connect({
      name: 'terminal',
      waits: true,
      reaches: () => true,
      ask: (request, signal) => {
        resolve(request)
        return new Promise((done) => signal.addEventListener('abort', () => done(undefined)))
      },
    })
  })
  const running = turn(kernel)
  const request = await shown
  await clock.advance(24 * 3_600_000)
  expect(kernel.use(Approvals).pending()).toEqual([request])
  kernel.use(Approvals).answer(request.id, 'once', 'me')
  await running
  expect(ran).toEqual(['rm -r src'])
  await kernel.stop()
})

test('the first answer wins from whatever front end, and a second one is refused', async () => {
  const { kernel, ran } = await start(['rm -r src'])
  let second: unknown
  kernel.use(Approvals).connect({
    name: 'slow',
    reaches: () => true,
    ask: (request, signal) => {
      kernel.use(Approvals).answer(request.id, 'once', 'elsewhere')
      try {
        kernel.use(Approvals).answer(request.id, 'deny', 'again')
      } catch (error) {
        second = error
      }
      return new Promise((done) => signal.addEventListener('abort', () => done(undefined)))
    },
  })
  const { events } = await turn(kernel)
  expect(ran).toEqual(['rm -r src'])
  expect(second).toMatchObject({ code: 'APPROVAL_UNKNOWN' })
  expect(events).toContainEqual(expect.objectContaining({ type: 'approval.answer', choice: 'once', by: 'elsewhere' }))
  await kernel.stop()
})

test('a conversation asks at its prompt; --yolo asks nothing but keeps the hard line', async () => {
  const first = await start(['rm -r src'])
  const said = await first.kernel.run(['chat'], { interactive: true, answers: ['go', 'what?', 'o', '/quit'] })
  expect(said.err).toContain('It deletes folders and everything in them')
  expect(said.err.match(/o = once, s = for this session, p = for this project, a = always, d = deny: /g)).toHaveLength(
    2,
  )
  expect(first.ran).toEqual(['rm -r src'])
  await first.kernel.stop()
  const second = await start(['rm -r src', 'rm -rf /'])
  await second.kernel.run(['chat', '--yolo', '-q', 'go'])
  expect(second.ran).toEqual(['rm -r src'])
  await second.kernel.stop()
})

/** A turn that waits for an answer that no one gives at its own front end. */
async function waiting(clock: VirtualClock) {
  const { kernel, ran } = await start(['rm -r src'], {}, { clock, ...reachablePlugins })
  await kernel.use(Control).serve('chat')
  const shown = new Promise<ApprovalRequest>((resolve) => {
    kernel.use(Approvals).connect({
      name: 'sleeper',
      reaches: () => true,
      ask: (request, signal) => {
        resolve(request)
        return new Promise((done) => signal.addEventListener('abort', () => done(undefined)))
      },
    })
  })
  const running = turn(kernel)
  const request = await shown
  const other = await testKernel({ home: kernel.home, plugins: ['approvals', 'control'], clock })
  return { kernel, ran, running, request, other }
}

const reachablePlugins = { plugins: ['agent', 'approvals', 'chat', 'control'] }

test('a person answers from another terminal, over the socket of the process that waits', async () => {
  const clock = virtualClock()
  const { kernel, ran, running, request, other } = await waiting(clock)
  const [seen] = JSON.parse((await other.run(['approvals', 'pending', '--json'])).out)
  expect(seen).toMatchObject({ id: request.id, action: 'rm -r src', pid: process.pid, command: 'chat' })
  expect((await other.run(['approvals', 'pending'])).out).toContain(`(chat, process ${process.pid})`)
  expect((await other.run(['approvals', 'answer', request.id, 'maybe'])).err).toContain(
    'once|session|project|always|deny',
  )
  const answered = await other.run(['approvals', 'answer', request.id.slice(0, 8), 'once', '--json'])
  expect(answered.out).toContain('"choice":"once"')
  const { events } = await running
  const answer = { type: 'approval.answer', id: request.id, choice: 'once', by: 'svc approvals' }
  expect(events).toContainEqual(expect.objectContaining(answer))
  expect(ran).toEqual(['rm -r src'])
  expect((await other.run(['approvals', 'pending'])).out).toContain('No question waits')
  expect((await other.run(['approvals', 'answer', request.id, 'deny'])).err).toContain('APPROVAL_UNKNOWN')
  await other.stop()
  await kernel.stop()
})

test('an answer that a program writes into approvals.db answers nothing', async () => {
  const clock = virtualClock()
  const { kernel, ran, running, request, other } = await waiting(clock)
  const file = join(kernel.home, 'data', 'approvals', 'approvals.db')
  const database = new Sqlite(file)
  database
    .prepare("UPDATE requests SET choice = 'once', answered_by = 'me', answered_at = 1 WHERE id = ?")
    .run(request.id)
  database.close()
  // A second process of svc that answers for itself does not answer here either.
  expect(() => other.use(Approvals).answer('no-such-id', 'once', 'me')).toThrow(/APPROVAL_UNKNOWN|waits for an answer/)
  await clock.advance(61_000)
  const { results } = await running
  expect(ran).toEqual([])
  expect(results[0]).toContain('no answer came within 60 s')
  await other.stop()
  await kernel.stop()
})

test.skipIf(process.platform !== 'linux')('a program of the agent sees the question and cannot answer it', async () => {
  const clock = virtualClock()
  const { kernel, ran, running, request, other } = await waiting(clock)
  const asker = join(import.meta.dirname, '../../messaging/control/asker.mjs')
  const tell = async (mark: object, method: string) => {
    const params = JSON.stringify({ id: request.id, choice: 'once' })
    const env = { PATH: process.env['PATH'], ...mark }
    const { stdout } = await promisify(execFile)(process.execPath, [asker, kernel.home, method, params], { env })
    return JSON.parse(stdout)
  }
  expect(await tell({ [AGENT_PROCESS_VARIABLE]: 'x' }, 'approvals.pending')).toMatchObject({
    result: [{ id: request.id }],
  })
  expect(await tell({ [AGENT_PROCESS_VARIABLE]: 'x' }, 'approvals.answer')).toMatchObject({
    error: { code: 'CONTROL_AGENT' },
  })
  expect(ran).toEqual([])
  expect(await tell({}, 'approvals.answer')).toMatchObject({ result: { choice: 'once' } })
  await running
  expect(ran).toEqual(['rm -r src'])
  await other.stop()
  await kernel.stop()
})

test('a question that waits is answered on its front end though the plugin was reloaded meanwhile', async () => {
  const clock = virtualClock()
  const { kernel, ran, running, request, other } = await waiting(clock)
  const [answer] = await other.use(Control).ask('plugins.reload', { name: 'approvals' })
  expect(answer?.error).toBeUndefined()
  kernel.use(Approvals).answer(request.id, 'once', 'desk')
  await running
  expect(ran).toEqual(['rm -r src'])
  await other.stop()
  await kernel.stop()
})

test('a scheduled job is denied at once though someone could be asked, or runs when cron_mode says approve', async () => {
  for (const [mode, expected] of [
    ['deny', []],
    ['approve', ['rm -r src']],
  ] as const) {
    const { kernel, ran } = await start(['rm -r src', 'rm -rf /'], { cron_mode: mode })
    const { asked } = answering(kernel, [])
    const { id } = kernel.use(Sessions).create({ surface: 'cron', cwd: '/srv/project' })
    const { results } = await turn(kernel, id, 'cron')
    expect(ran).toEqual(expected)
    expect(asked).toEqual([])
    expect(results[0]).toMatch(mode === 'deny' ? /approvals\.cron_mode/ : /1/)
    await kernel.stop()
  }
})

test('tools without a command or a file, such as send_message, are not asked about', async () => {
  const { kernel } = await start([], {})
  const tool = {
    name: 'send_message',
    effect: 'idempotent',
    toolset: 'messaging',
    description: '',
    reach: 'network',
  } as const
  const input = { action: 'send', target: 'telegram', message: 'rm -rf /' }
  const verdict = await kernel.call(BeforeToolCall, {
    name: 'send_message',
    input,
    tool,
    acts: {},
    turn: fakeToolTurn(),
  })
  expect(verdict).toBeUndefined()
  await kernel.stop()
})

test('nothing looks for answers when no one waits for one', async () => {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['approvals'], clock })
  // What opening the data base leaves behind is there already.
  kernel.use(Approvals).pending()
  const before = clock.pending()
  let waiting = 0
  kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async () => {
      waiting = clock.pending()
      return 'once'
    },
  })
  const about = { tool: 'shell', action: 'rm -r src' }
  const question = { reason: 'deletes folders' }
  expect(await kernel.use(Approvals).request([question], about, fakeToolTurn())).toEqual({ allow: true })
  expect(waiting).toBeGreaterThan(before)
  expect(clock.pending()).toBe(before)
  await kernel.stop()
})

test('a call that writes several files is asked about once for all that matter, and a forbidden one forbids all', async () => {
  const kernel = await testKernel({
    plugins: ['tool-patch', 'approvals'],
    config: { approvals: { deny: ['patch */locked*'] } },
  })
  const patch = (...files: string[]) => {
    const tool = kernel.all(Tools).get('patch')
    if (!tool) throw new Error('there is no tool patch')
    const text = files.map((file) => `*** Update File: ${file}\n@@\n-a\n+b`).join('\n')
    const input = { mode: 'patch', patch: `*** Begin Patch\n${text}\n*** End Patch` }
    return passGates(kernel, tool, input, fakeToolTurn({ cwd: '/srv/project' }))
  }
  const { asked: shown } = answering(kernel, ['once', 'deny'])
  expect(await patch('src/a.ts', 'src/b.ts')).toEqual({ allow: true })
  expect(shown).toEqual([])
  expect(await patch('src/a.ts', '.git/hooks/pre-commit')).toEqual({ allow: true })
  expect(shown[0]).toMatchObject({ action: 'patch /srv/project/.git/hooks/pre-commit', choices: ['once', 'deny'] })
  expect(await patch('src/a.ts', '.git/hooks/pre-push')).toMatchObject({ allow: false })
  expect(await patch('src/a.ts', 'locked.ts')).toMatchObject({ allow: false, reason: expect.stringMatching(/forbids/) })
  expect(shown).toHaveLength(2)
  await kernel.stop()
})

test('a file in another environment is judged as such: a rule about a path of this machine allows nothing there', async () => {
  const kernel = await testKernel({
    plugins: ['approvals'],
    config: { approvals: { deny: ['put */locked*'], allow: ['put /srv/project/.git/hooks/*', 'put ssh:/etc/motd'] } },
  })
  const put = (environment: string | undefined, path: string) => {
    const acts = () => ({ writes: [path], ...(environment !== undefined && { environment }) })
    const tool = defineTool({
      ...{ name: 'put', description: 'Writes.', input: z.object({}), reach: 'machine', acts, run: () => 'done' },
    })
    return passGates(kernel, { ...tool, effect: 'once', toolset: 'file' }, {}, fakeToolTurn({ cwd: '/srv/project' }))
  }
  const { asked: shown } = answering(kernel, ['session', 'deny', 'deny'])
  expect(await put(undefined, '/srv/project/.git/hooks/pre-commit')).toEqual({ allow: true })
  expect(await put('ssh', '/etc/motd')).toEqual({ allow: true })
  expect(shown).toEqual([])
  expect(await put('ssh', '/srv/project/.git/hooks/pre-commit')).toEqual({ allow: true })
  expect(shown[0]).toMatchObject({ action: 'put ssh:/srv/project/.git/hooks/pre-commit' })
  expect(await put('ssh', '/srv/project/.git/hooks/pre-commit')).toEqual({ allow: true })
  expect(shown).toHaveLength(1)
  expect(await put('docker', '/srv/project/.git/hooks/pre-commit')).toMatchObject({ allow: false })
  expect(await put('ssh', '/etc/hosts')).toMatchObject({ allow: false })
  expect(await put('ssh', '/srv/locked.ts')).toMatchObject({ allow: false, reason: expect.stringMatching(/forbids/) })
  expect(shown).toHaveLength(3)
  await kernel.stop()
})
