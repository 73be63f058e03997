import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc/sdk/host'
import { GatewayProcess } from 'svc/sdk/operations'
import { Budgets } from 'svc/sdk/safety'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { type ActionReport, Actions } from '../../../../plugins/dashboard/dashboard-operations/actions.ts'
import { openDashboard } from '../dashboard/desk.ts'

const PLUGINS = ['dashboard-operations', 'config']

test('log entries are filtered, and a secret in them is masked', async () => {
  const { ask, kernel } = await openDashboard({
    plugins: [...PLUGINS, 'logs'],
    env: { SVC_DASHBOARD_SESSION_TOKEN: 'sekret-abcdefghijklmnop' },
  })
  mkdirSync(join(kernel.home, 'logs'), { recursive: true })
  const line = (level: string, msg: string) => `${JSON.stringify({ at: 5, level, plugin: 'x', msg, message: msg })}\n`
  writeFileSync(
    join(kernel.home, 'logs/svc.log'),
    line('info', 'quiet') + line('error', 'the key sekret-abcdefghijklmnop'),
  )
  const { text, json } = await ask('GET', '/api/logs?search=key')
  expect(text).not.toContain('sekret')
  expect(json.entries).toHaveLength(1)
  expect((await ask('GET', '/api/logs/files')).json.files[0].name).toBe('svc')
  expect((await ask('GET', '/api/logs?file=nothing')).status).toBe(404)
})

test('what model calls took is summed by day, model and purpose, and an unknown price is no zero', async () => {
  const { ask, kernel } = await openDashboard({ plugins: [...PLUGINS, 'budgets'] })
  const budgets = kernel.use(Budgets)
  const scope = { purpose: 'turn', provider: 'fake', model: 'fake-1', sessionId: 's' }
  budgets.reserve(scope, { inputTokens: 1, outputTokens: 1 }).settle({ input: 10, output: 5 })
  const { json } = await ask('GET', '/api/analytics/usage?days=7')
  expect(json.by_model).toEqual([expect.objectContaining({ name: 'fake/fake-1', calls: 1, input_tokens: 10 })])
  expect(json.totals).toMatchObject({ calls: 1, output_tokens: 5, cost_usd: null, unpriced_calls: 1 })
  expect(json.daily).toHaveLength(1)
  const { models } = (await ask('GET', '/api/analytics/models?days=7')).json
  expect(models).toEqual([expect.objectContaining({ name: 'fake/fake-1', calls: 1, tokens_per_call: 15 })])
})

test('a built-in plugin is switched off and on; guards and those of others are not', async () => {
  const { ask, kernel } = await openDashboard({ plugins: [...PLUGINS, 'about', 'approvals'] })
  const find = async (name: string) =>
    (await ask('GET', '/api/plugins')).json.plugins.find((each: { name: string }) => each.name === name)
  expect(await find('about')).toMatchObject({ status: 'started', can_switch: true })
  expect((await ask('PUT', '/api/plugins/about', { body: { enabled: false } })).json.plugin.is_disabled).toBe(true)
  expect((await find('about')).status).not.toBe('started')
  expect((await ask('PUT', '/api/plugins/about', { body: { enabled: true } })).status).toBe(200)
  expect(kernel.plugins.info('about')?.leftOut).toBeUndefined()
  expect((await ask('PUT', '/api/plugins/approvals', { body: { enabled: false } })).status).toBe(409)
  expect((await ask('PUT', '/api/plugins/nothing', { body: { enabled: false } })).status).toBe(404)
})

test('the machine, the checks, deliveries and approvals are shown', async () => {
  const { ask } = await openDashboard({ plugins: [...PLUGINS, 'approvals', 'outbox', 'trace', 'doctor'] })
  expect((await ask('GET', '/api/system/stats')).json.process.pid).toBe(process.pid)
  expect((await ask('GET', '/api/health')).json.checks.length).toBeGreaterThan(2)
  expect((await ask('GET', '/api/approvals')).json).toEqual({ approvals: [] })
  expect((await ask('POST', '/api/approvals/none', { body: { choice: 'once' } })).status).toBe(404)
  expect((await ask('GET', '/api/outbox')).json.deliveries).toEqual([])
  expect((await ask('POST', '/api/outbox/none/retry')).status).toBe(409)
  expect((await ask('GET', '/api/why/none')).status).toBe(404)
})

test('a checkpoint of a folder is taken, shown, put back, and that is taken back by its id', async () => {
  const { ask } = await openDashboard({ plugins: PLUGINS })
  const cwd = mkdtempSync(join(tmpdir(), 'svc-checkpoint-'))
  const file = join(cwd, 'otters.txt')
  writeFileSync(file, 'three\n')
  const { json: taken } = await ask('POST', '/api/checkpoints', { body: { cwd } })
  expect(taken).toEqual({ id: expect.any(String), why: null })
  expect((await ask('POST', '/api/checkpoints', { body: { cwd } })).json).toEqual({ id: null, why: expect.any(String) })
  writeFileSync(file, 'four\n')
  const query = `?cwd=${encodeURIComponent(cwd)}`
  const { checkpoints } = (await ask('GET', `/api/checkpoints${query}`)).json
  expect(checkpoints).toEqual([expect.objectContaining({ id: taken.id, reason: 'by hand', files: 1 })])
  expect((await ask('GET', `/api/checkpoints/${taken.id}/diff${query}`)).json.diff).toContain('+four')
  const { json: done } = await ask('POST', `/api/checkpoints/${taken.id}/restore`, { body: { cwd } })
  expect(done.result).toMatchObject({ restored: ['otters.txt'], removed: [], left_alone: [] })
  expect(readFileSync(file, 'utf8')).toBe('three\n')
  await ask('POST', `/api/checkpoints/${done.result.before}/restore`, { body: { cwd } })
  expect(readFileSync(file, 'utf8')).toBe('four\n')
  expect((await ask('POST', '/api/checkpoints/99/restore', { body: { cwd } })).status).toBe(404)
})

test('a gateway that a page starts gets nothing that a launcher gave the dashboard', async () => {
  const given: unknown[] = []
  const watch: InlinePlugin = {
    name: 'watch-gateway',
    wraps: ['gateway-process'],
    setup: (ctx) =>
      void ctx.wrap(GatewayProcess, (inner) => ({
        ...inner,
        start: async (options) => void given.push(options?.environment),
      })),
  }
  const { ask } = await openDashboard({ plugins: [...PLUGINS, 'gateway-cli'], with: [watch] })
  expect((await ask('POST', '/api/gateway/start')).status).toBe(200)
  const removed = { SVC_DASHBOARD_SESSION_TOKEN: undefined, SVC_DESKTOP_READY_FILE: undefined, SVC_DESKTOP: undefined }
  await expect.poll(() => given).toStrictEqual([removed])
})

test('a gateway that does not run says so, and its actions are known once one was begun', async () => {
  const { ask } = await openDashboard({ plugins: PLUGINS })
  expect((await ask('GET', '/api/gateway/status')).json).toMatchObject({
    ...{ running: false, state: 'stopped', ready: false, pid: null, exit_reason: null, action: null },
    ...{ serves_dashboard: false, platforms: [] },
  })
  expect((await ask('GET', '/api/actions/gateway-stop/status')).status).toBe(404)
  expect((await ask('POST', '/api/gateway/stop', { body: { now: true } })).status).toBe(400)
  expect((await ask('POST', '/api/gateway/stop')).json).toMatchObject({
    ok: true,
    pid: process.pid,
    name: 'gateway-stop',
  })
  const status = async () => (await ask('GET', '/api/actions/gateway-stop/status')).json
  await expect.poll(status).toMatchObject({
    ...{ running: false, exit_code: 0, error: null, lines: ['The gateway does not run.'] },
  })
  expect((await ask('GET', '/api/gateway/status')).json.action).toBe('gateway-stop')
})

test('a look for an update is made only when it is asked for, and says who updates svc', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  writeFileSync(join(kernel.home, '.install_method'), 'homebrew\n')
  const path = '/api/svc/update/check'
  expect((await ask('GET', path)).json).toEqual({ check: null })
  const { check } = (await ask('GET', `${path}?force=1`)).json
  expect(check).toMatchObject({
    ...{ install_method: 'homebrew', update_available: false, can_apply: false, update_command: null, newest: null },
    message: expect.stringContaining('brew upgrade svc'),
  })
  expect((await ask('GET', path)).json).toEqual({ check })
  expect((await ask('GET', `${path}?force=perhaps`)).status).toBe(400)
})

test('one action of a group runs at a time; its lines are bounded and masked, and its failure is told', async () => {
  const clock = virtualClock()
  const secrets = { mask: (text: string) => text.replaceAll('sekret', '***') }
  const logged: string[] = []
  const note = (message: string) => void logged.push(message)
  const log = { warn: note }
  const actions = new Actions({ clock: () => clock, secrets: () => secrets, log })
  let fail: (error: Error) => void = () => {}
  const work = (report: ActionReport) => {
    for (let line = 1; line <= 5100; line++) report.line(`sekret ${line}`)
    return new Promise<void>((_, reject) => {
      fail = reject
    })
  }
  actions.begin('gateway-start', work, 'gateway')
  expect(() => actions.begin('gateway-stop', async () => {}, 'gateway')).toThrow(/gateway-start is under way/)
  expect(() => actions.get('gateway-stop')).toThrow(/gateway-stop/)
  expect(actions.get('gateway-start')).toMatchObject({ startedAt: clock.now() })
  expect(actions.get('gateway-start').endedAt).toBeUndefined()
  const { lines } = actions.get('gateway-start')
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([5000, '*** 101', '*** 5100'])
  actions.begin('dump', async ({ line }) => {
    for (let count = 0; count < 400; count++) line('x'.repeat(3000))
  })
  expect(actions.get('dump').lines.map(({ length }) => length)).toEqual(Array(262).fill(2000))
  actions.begin('doctor', async ({ exit, process: tell }) => {
    tell(4711)
    exit(1)
  })
  await expect.poll(() => actions.last('doctor')).toMatchObject({ pid: 4711, exitCode: 1, endedAt: clock.now() })
  await clock.advance(1000)
  fail(new Error('no sekret here'))
  await expect.poll(() => actions.last('gateway')?.endedAt).toBe(clock.now())
  expect(actions.last('gateway')?.error).toMatchObject({ message: 'no *** here' })
  expect(logged).toEqual(['the action gateway-start failed'])
  actions.begin('gateway-stop', async () => {}, 'gateway')
  await expect.poll(() => actions.last('gateway')).toMatchObject({ name: 'gateway-stop', endedAt: clock.now() })
})
