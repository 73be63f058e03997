/** A scheduler elsewhere asks for runs with signed tokens. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { CronJobs } from 'svc/sdk/jobs'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const SECRET = 'q7mZ2vKd0xWb9TtRjY4uHs1LpEcN6aGf'
const minute = 60_000

async function open(env: Record<string, string> = { SVC_CRON_FIRE_SECRET: SECRET }) {
  const clock = virtualClock()
  const plugins = ['cron-fire', 'cron', 'dashboard-login']
  const desk = await openDashboard({ plugins, clock, env, config: { cron: { timezone: 'UTC' } } })
  const cron = desk.kernel.use(CronJobs)
  const { now } = await cron.status()
  const seconds = Math.floor(now / 1000)
  const sign = (claims: Record<string, unknown>, { key = SECRET, alg = 'HS256' } = {}) =>
    new SignJWT({ purpose: 'cron_fire', jti: 'one', iat: seconds, exp: seconds + 300, ...claims })
      .setProtectedHeader({ alg })
      .sign(Buffer.from(key))
  const fire = async (token: string | undefined, body: object = {}) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { status, json } = await desk.ask('POST', '/api/cron/fire', { body, headers })
    return [status, json]
  }
  const readAudit = () =>
    readFileSync(join(desk.kernel.home, 'logs/dashboard-auth.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>)
  return { ...desk, ...{ cron, clock, sign, fire, seconds, now, readAudit } }
}

const DENIED = [401, { error: 'invalid fire token' }]

test('a token runs its job once, however often it is sent', async () => {
  const { cron, sign, fire, seconds, readAudit } = await open()
  const { id } = await cron.create({
    prompt: '',
    script: 'absent.sh',
    isScriptOnly: true,
    schedule: await cron.parse('every 6h'),
  })
  const token = await sign({ job_id: id })
  const accepted = [202, { status: 'accepted', job_id: id }]
  expect(await Promise.all([fire(token), fire(token, { job_id: id }), fire(token)])).toEqual([
    accepted,
    accepted,
    accepted,
  ])
  expect(await cron.runs()).toMatchObject([{ jobId: id, trigger: 'manual', dueAt: seconds * 1000, outcome: 'queued' }])
  expect((await cron.tick()).runs).toHaveLength(1)
  expect(await fire(token)).toEqual(accepted)
  expect((await cron.tick()).runs).toEqual([])
  // Of another moment it is another run.
  expect(await fire(await sign({ job_id: id, jti: 'two', iat: seconds - 60 }))).toEqual(accepted)
  expect(await cron.runs()).toHaveLength(2)
  expect(readAudit()[0]).toMatchObject({
    message: 'token_auth_success',
    secret: 'cron-fire',
    route: 'POST /api/cron/fire',
  })
})

test('what the schedule runs at about that time is the run: before, at and after its instant', async () => {
  const { cron, clock, sign, fire } = await open()
  const { id, nextDueAt = 0 } = await cron.create({
    prompt: '',
    script: 'absent.sh',
    isScriptOnly: true,
    schedule: await cron.parse('every 6h'),
  })
  const at = (ms: number) => sign({ job_id: id, iat: ms / 1000, exp: ms / 1000 + 300 })
  await clock.advance(nextDueAt - 4 * minute - (await cron.status()).now)
  const early = await at(nextDueAt - 4 * minute)
  expect(await fire(early)).toMatchObject([202, { job_id: id }])
  expect(await cron.runs()).toEqual([])
  await clock.advance(4 * minute)
  expect(await fire(await at(nextDueAt))).toMatchObject([202, {}])
  expect((await cron.tick()).runs).toMatchObject([{ trigger: 'schedule', dueAt: nextDueAt }])
  expect(await fire(early)).toMatchObject([202, {}])
  await clock.advance(5 * minute)
  expect(await fire(await at(nextDueAt + 5 * minute))).toMatchObject([202, {}])
  expect(await cron.runs()).toHaveLength(1)
  await clock.advance(minute)
  expect(await fire(await at(nextDueAt + 6 * minute))).toMatchObject([202, {}])
  expect((await cron.runs()).map(({ trigger }) => trigger)).toEqual(['manual', 'schedule'])
})

test('a job that is not due any more is gone', async () => {
  const { cron, sign, fire } = await open()
  const { id } = await cron.create({ name: 'brief', prompt: 'x', schedule: await cron.parse('every 6h') })
  const gone = [200, { status: 'gone' }]
  expect(await fire(await sign({ job_id: '0123456789ab' }))).toEqual(gone)
  // Names and beginnings of ids are for people.
  expect(await fire(await sign({ job_id: 'brief' }))).toEqual(gone)
  expect(await fire(await sign({ job_id: id.slice(0, 6) }))).toEqual(gone)
  await cron.pause(id)
  expect(await fire(await sign({ job_id: id }))).toEqual(gone)
  await cron.remove(id)
  expect(await fire(await sign({ job_id: id }))).toEqual(gone)
  expect(await cron.runs()).toEqual([])
})

test('any other token is refused, and the refusal is recorded', async () => {
  const { cron, sign, fire, seconds, token: session, ask, readAudit } = await open()
  const { id: job_id } = await cron.create({ prompt: 'x', schedule: await cron.parse('every 6h') })
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ purpose: 'cron_fire', job_id, jti: 'x', iat: seconds, exp: seconds + 60 })).toString('base64url')}.`
  const wrong = await Promise.all([
    sign({ job_id }, { key: 'another-secret-of-at-least-32-bytes' }),
    sign({ job_id }, { alg: 'HS384', key: SECRET + SECRET }),
    sign({ job_id, purpose: 'login' }),
    sign({ job_id, purpose: undefined }),
    sign({ job_id, exp: undefined }),
    sign({ job_id, jti: undefined }),
    sign({ job_id, iat: undefined }),
    sign({}),
    sign({ job_id, iat: seconds - 400, exp: seconds - 31 }),
    sign({ job_id, iat: seconds + 31, exp: seconds + 60 }),
    sign({ job_id, exp: seconds + 3601 }),
    sign({ job_id, nbf: seconds + 60 }),
  ])
  for (const each of [undefined, 'x', none, session, ...wrong]) expect(await fire(each)).toEqual(DENIED)
  expect((await ask('POST', '/api/cron/fire', { body: { job_id } })).status).toBe(401)
  expect(await fire(await sign({ job_id }), { job_id: '0123456789ab' })).toEqual([
    400,
    { error: 'job_id is not the job of the token' },
  ])
  expect(await cron.runs()).toEqual([])
  expect(readAudit().slice(0, 3)).toMatchObject([{ code: 'missing' }, { code: 'wrong' }, { code: 'wrong' }])
  expect(JSON.stringify(readAudit())).not.toContain(SECRET)
})

test.for([
  ['no secret', {}, 'not-set'],
  ['a secret of 31 bytes', { SVC_CRON_FIRE_SECRET: SECRET.slice(1) }, 'weak'],
  ['a secret that repeats itself', { SVC_CRON_FIRE_SECRET: 'ab'.repeat(20) }, 'weak'],
] as const)('with %s every token is refused', async ([, env, code]) => {
  const { cron, sign, fire, readAudit } = await open(env)
  const { id } = await cron.create({ prompt: 'x', schedule: await cron.parse('every 6h') })
  const key = 'SVC_CRON_FIRE_SECRET' in env ? env.SVC_CRON_FIRE_SECRET : SECRET
  expect(await fire(await sign({ job_id: id }, { key }))).toEqual(DENIED)
  expect(readAudit().at(-1)).toMatchObject({ code })
  expect(await cron.runs()).toEqual([])
})

test('without the plugin that records it, a token opens nothing', async () => {
  const desk = await openDashboard({
    plugins: ['cron-fire', 'cron'],
    env: { SVC_CRON_FIRE_SECRET: SECRET },
    config: { plugins: { disabled: ['dashboard-login'] } },
  })
  const cron = desk.kernel.use(CronJobs)
  const { id } = await cron.create({ prompt: 'x', schedule: await cron.parse('every 6h') })
  const now = Math.floor(Date.now() / 1000)
  const token = await new SignJWT({ purpose: 'cron_fire', jti: 'one', job_id: id, iat: now, exp: now + 60 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(SECRET))
  const reply = await desk.ask('POST', '/api/cron/fire', { body: {}, headers: { authorization: `Bearer ${token}` } })
  expect([reply.status, reply.json]).toEqual(DENIED)
  expect(await cron.runs()).toEqual([])
})
