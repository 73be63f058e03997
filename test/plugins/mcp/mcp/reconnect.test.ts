/** When a server is tried again, looked after and ended: in virtual time, with connections that a test makes. */
import { SvcError } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { type ServerSettings, serverSettings } from '../../../../plugins/mcp/mcp/config.ts'
import type { ServerRecord } from '../../../../plugins/mcp/mcp/definitions.ts'
import type { ServerPeer } from '../../../../plugins/mcp/mcp/peer.ts'
import { Server } from '../../../../plugins/mcp/mcp/server.ts'

const never = new AbortController().signal
const MINUTE = 60_000

/** A server whose connections open as `outcome` says. */
function openServer(settings: Partial<ServerSettings> = {}) {
  const clock = virtualClock()
  const outcome: { error?: Error; ping?: Error; isAwaited?: boolean } = {}
  const seen = { opened: 0, closed: 0, pings: 0 }
  const warned: string[] = []
  const ended = new AbortController()
  const note = () => {}
  const log = { debug: note, info: note, error: note, warn: (text: string) => void warned.push(text) }
  let record: ServerRecord | undefined
  const peer = (): Partial<ServerPeer> => ({
    has: () => false,
    tools: async () => [],
    ping: async () => {
      seen.pings += 1
      if (outcome.ping) throw outcome.ping
    },
    close: async () => {
      seen.closed += 1
    },
  })
  const server = new Server('own', serverSettings.parse({ url: 'https://example.com/mcp', ...settings }), {
    clock,
    log: log as never,
    signal: ended.signal,
    async open() {
      seen.opened += 1
      if (outcome.error) throw outcome.error
      return peer() as ServerPeer
    },
    record: () => record,
    keep: async (merge) => {
      record = merge(record)
    },
    changed: () => {},
    getVariable: () => undefined,
    opened: async () => {},
    isAwaited: () => outcome.isAwaited === true,
  })
  const attempt = () =>
    server.connect(never).then(
      () => 'connected',
      (error: Error) => error.message,
    )
  return { clock, outcome, seen, warned, server, attempt, end: () => ended.abort() }
}

const refused = new SvcError('MCP_CONNECT', 'Nothing answers.')

test('a server that fails is tried again after 1, 2, 4 and 8 seconds, and in between calls are refused at once', async () => {
  const { clock, outcome, seen, server, attempt } = openServer()
  outcome.error = refused
  for (const [at, seconds] of [1, 2, 4, 8].entries()) {
    expect(await attempt()).toBe('Nothing answers.')
    expect(seen.opened).toBe(at + 1)
    expect(await attempt()).toBe(`Nothing answers. The next attempt is in ${seconds} s.`)
    await clock.advance(seconds * 1000 - 1)
    expect(await attempt()).toBe('Nothing answers. The next attempt is in 1 s.')
    expect(server.state).toBe('failed')
    await clock.advance(1)
  }
  expect(seen.opened).toBe(4)
})

test('one success forgets all failures', async () => {
  const { clock, outcome, server, attempt } = openServer()
  outcome.error = refused
  await attempt()
  await clock.advance(1000)
  await attempt()
  await clock.advance(2000)
  delete outcome.error
  expect(await attempt()).toBe('connected')
  expect(server.problem).toBeUndefined()
  server.lost('It ended.')
  expect(await attempt()).toContain('The next attempt is in 1 s.')
})

/** Five failures in a row. */
async function park(scene: ReturnType<typeof openServer>): Promise<void> {
  scene.outcome.error = refused
  for (const seconds of [1, 2, 4, 8, 0]) {
    await scene.attempt()
    await scene.clock.advance(seconds * 1000)
  }
  expect(scene.server.state).toBe('parked')
}

test('after five failures a server is parked: no call reaches it, and every five minutes svc looks for itself', async () => {
  const scene = openServer()
  const { clock, outcome, seen, server, attempt } = scene
  await park(scene)
  expect(seen.opened).toBe(5)
  await clock.advance(4 * MINUTE)
  expect(await attempt()).toMatch(/The next attempt is in 60 s\.$/)
  expect(seen.opened).toBe(5)
  await clock.advance(MINUTE)
  expect(seen.opened).toBe(6)
  expect(server.state).toBe('parked')
  delete outcome.error
  await clock.advance(5 * MINUTE)
  expect(server.state).toBe('connected')
  expect(seen.opened).toBe(7)
})

test.for(['MCP_SIGN_IN', 'MCP_REFUSED'])(
  'a failure %s waits for a person: svc does not look for itself',
  async (code) => {
    const { clock, outcome, seen, attempt, server } = openServer()
    outcome.error = new SvcError(code, 'A person has to do something.')
    for (const seconds of [1, 2, 4, 8, 16]) {
      await attempt()
      await clock.advance(seconds * 1000)
    }
    await clock.advance(60 * MINUTE)
    expect(seen.opened).toBe(5)
    server.reset()
    delete outcome.error
    expect(await attempt()).toBe('connected')
  },
)

test('a person who wants it now does not wait', async () => {
  const scene = openServer()
  await park(scene)
  delete scene.outcome.error
  await scene.server.connect(never, { force: true })
  expect(scene.server.state).toBe('connected')
})

test('calls that come while it is being connected share the attempt', async () => {
  const { seen, server } = openServer()
  await Promise.all(Array.from({ length: 5 }, () => server.connect(never)))
  expect(seen.opened).toBe(1)
})

test('an open connection is asked every three minutes whether it lives, and one that does not answer is opened again by a call', async () => {
  const { clock, outcome, seen, server, attempt } = openServer()
  await attempt()
  await clock.advance(3 * MINUTE - 1)
  expect(seen.pings).toBe(0)
  await clock.advance(1)
  expect(seen.pings).toBe(1)
  outcome.ping = new Error('no answer')
  await clock.advance(3 * MINUTE)
  expect(server).toMatchObject({ state: 'failed', problem: 'The MCP server own ended. no answer' })
  expect(seen.closed).toBe(1)
  await clock.advance(10 * MINUTE)
  expect(seen.pings).toBe(2)
  expect(await attempt()).toBe('connected')
  expect(seen.opened).toBe(2)
})

test('a local process is not asked: it tells by its end', async () => {
  const { clock, seen, server, attempt } = openServer({ url: undefined, command: 'server' } as never)
  await attempt()
  await clock.advance(30 * MINUTE)
  expect(seen.pings).toBe(0)
  expect(server.state).toBe('connected')
})

test('a server without a call is ended after its idle time, and not while a call runs', async () => {
  const { clock, seen, server, attempt } = openServer({ idle_timeout_seconds: 60 })
  await attempt()
  let finish = () => {}
  const call = server.use(never, () => new Promise<void>((resolve) => (finish = resolve)))
  await clock.advance(3 * MINUTE)
  expect(server.state).toBe('connected')
  finish()
  await call
  await clock.advance(MINUTE)
  expect(server.state).toBe('idle')
  expect(seen).toMatchObject({ opened: 1, closed: 1 })
  expect(await attempt()).toBe('connected')
})

test('a server past its lifetime is ended when no call runs', async () => {
  const { clock, seen, server, attempt } = openServer({ max_lifetime_seconds: 600 })
  await attempt()
  await server.use(never, () => clock.advance(9 * MINUTE))
  expect(server.state).toBe('connected')
  await clock.advance(3 * MINUTE)
  expect(server.state).toBe('idle')
  expect(seen.closed).toBe(1)
})

test('a server whose reports are awaited is opened again without a call, and is not ended because it is idle', async () => {
  const { clock, outcome, seen, server, attempt, end } = openServer({
    idle_timeout_seconds: 60,
    keepalive_interval: 600,
  })
  outcome.isAwaited = true
  await attempt()
  await clock.advance(10 * MINUTE)
  expect(seen).toMatchObject({ opened: 1, closed: 0 })
  outcome.error = refused
  server.lost('It ended.')
  await clock.advance(3000)
  expect(seen.opened).toBe(3)
  delete outcome.error
  await clock.advance(4000)
  expect(server.state).toBe('connected')
  end()
})

test('a server that was ended for good leaves no timer and is not opened again', async () => {
  const scene = openServer()
  await park(scene)
  await scene.server.end()
  expect(scene.clock.pending()).toBe(0)
  expect(await scene.attempt()).toBe('The MCP server own was ended.')
  const live = openServer()
  await live.attempt()
  await live.server.end()
  expect(live.clock.pending()).toBe(0)
  expect(live.seen.closed).toBe(1)
})
