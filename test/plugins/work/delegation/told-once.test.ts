/**
 * svc ends itself for real, as by `kill -9`, between the moment at which a result is part of its conversation and the mark that it
 * was told. Whatever restarts then must find it there.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { GatewayHome } from '../../../faults/gateway-restart.ts'
import type { Reply } from '../../../support/model-replies.ts'
import { type RecordedRequest, startModelServer } from '../../../support/model-server.ts'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { writeFiles } from '../../../support/temporary.ts'
import { IS_ALL, isToday } from '../../../support/today.ts'

const LONG = { timeout: 90_000 }

/** Ends the process once, at one moment of the turn that a result begins. */
const killer = `import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BeforeModelRequest, Home, Sessions, TurnEnded } from 'svc/sdk'
import { BeforeTurn } from 'svc/sdk/hooks'

export default {
  setup(ctx) {
    const kill = (moment) => {
      const { dir } = ctx.use(Home)
      const file = join(dir, 'killed')
      if (process.env.KILL_AT !== moment || existsSync(file)) return
      writeFileSync(file, moment)
      process.kill(process.pid, 'SIGKILL')
      while (true) {}
    }
    const isTelling = (sessionId) => {
      const events = ctx.use(Sessions).open(sessionId).events()
      return events.findLast(({ type }) => type === 'turn.start')?.options?.key?.startsWith('deleg_')
    }
    ctx.on(BeforeTurn, ({ text }) => (text.startsWith('[Delegation ') ? kill('before') : undefined))
    ctx.on(BeforeModelRequest, (messages, { sessionId }) => {
      if (isTelling(sessionId)) kill('begun')
      return messages
    })
    ctx.on(TurnEnded, ({ sessionId }) => (isTelling(sessionId) ? kill('ended') : undefined), { order: 1 })
  },
}
`

interface Message {
  readonly role: string
  readonly content?: unknown
}

const messagesIn = ({ body }: RecordedRequest) => body['messages'] as readonly Message[]

function answer(request: RecordedRequest): Reply {
  const messages = messagesIn(request)
  const last = messages.at(-1)
  const text = String(last?.content ?? '')
  if (String(messages[0]?.content).startsWith('You are a subagent')) return 'It is 4.'
  if (last?.role === 'tool') return 'They work.'
  if (text.includes('[Delegation ')) return 'All read.'
  if (!text.includes('go')) return 'Very well.'
  return { calls: [{ name: 'delegate_task', arguments: { goal: 'Count.' } }] }
}

/** A chat in which work is delegated, and a gateway that is killed at `moment`. Returns what the model reads in the end. */
async function killAt(moment: string, env: Readonly<Record<string, string>> = {}) {
  const server = await startModelServer({ replies: answer })
  onTestFinished(() => server.close())
  const model = `model: { provider: custom, base_url: ${server.url}, default: fake-model }\n`
  const place = new GatewayHome(model, ['killer'])
  onTestFinished(() => place.close())
  const about = { version: '1.0.0', sdk: '^0.2.0', kind: 'service', description: 'Ends the process.' }
  writeFiles(join(place.home, 'plugins/killer'), {
    'plugin.json': { name: 'killer', ...about, requires: ['sessions'], with: ['agent'] },
    'index.js': killer,
  })
  const run = place.begin(['run'], { KILL_AT: moment, CUSTOM_API_KEY: 'sk-0123456789abcdef', ...env })
  const { pid } = await place.ready()
  place.write('go')
  await place.hears('They work.')
  await expect.poll(() => existsSync(join(place.home, 'killed'))).toBe(true)
  await place.ready(pid)
  await place.hears('All read.')
  // What is told is in the conversation for good: the next turn has it once.
  place.write('and?')
  await place.hears('Very well.')
  const last = messagesIn(server.requests.at(-1) as RecordedRequest)
  run.child.kill('SIGTERM')
  await run.ended
  const count = (text: string) => place.heard().filter((each) => each === text).length
  return {
    results: last.filter(({ role, content }) => role === 'user' && String(content).includes('[Delegation ')).length,
    answers: count('All read.'),
    dispatched: count('They work.'),
  }
}

const ONCE = { results: 1, answers: 1, dispatched: 1 }

const missing = missingPostgres()

// One a day. What is killed after the turn is tried each day, on PostgreSQL where there is one.
test.each([...['before', 'begun'].filter((_, index) => isToday(index, 2)), ...(missing || IS_ALL ? ['ended'] : [])])(
  'a chat is told once when the gateway is killed at the turn that tells it: %s',
  LONG,
  async (moment) => {
    expect(await killAt(moment)).toEqual(ONCE)
  },
)

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  let server: Postgres
  beforeAll(async () => {
    server = await Postgres.start()
  })
  afterAll(() => server?.stop())

  test('a chat is told once when the gateway is killed after the turn that tells it', LONG, async () => {
    expect(await killAt('ended', { SVC_STORAGE_URL: server.url })).toEqual(ONCE)
    const [place] = await server.query("select table_schema from information_schema.tables where table_name = 'units'")
    expect(await server.query(`select state from "${place?.['table_schema']}".units`)).toEqual([{ state: 'told' }])
  })
})
