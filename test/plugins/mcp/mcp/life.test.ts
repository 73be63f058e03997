/** When servers start and end, what is kept of them, and what is left of them. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions, Tools } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { expect, test, vi } from 'vitest'
import { identify } from '../../../../plugins/mcp/mcp/server.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startHttpServer } from './http-server.ts'
import { openScene, ownServer, results, shellServer } from './scene.ts'

/** What was killed is in the table of processes until it is reaped. */
const WAIT = { timeout: 20_000 }
const limit = () => AbortSignal.timeout(60_000)
const call = { calls: [{ name: 'mcp__own__ping', input: {} }] }

/** Writes a line into a file at each start, with its id and that of a child that ignores its end. */
const COUNTED = `
  import { spawn } from 'node:child_process'
  import { appendFileSync } from 'node:fs'
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  child.unref()
  appendFileSync(process.argv[2], process.pid + ' ' + child.pid + '\\n')`

function countedServer() {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'starts')
  const { command, args } = ownServer(COUNTED)
  const starts = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const alive = () =>
    starts()
      .flatMap((line) => line.split(' ').map(Number))
      .filter((pid) => isPidInUse(pid))
  return { server: { command, args: [...args, file] }, starts, alive }
}

function home(): string {
  const path = join(temporaryFolder(), 'home')
  mkdirSync(path, { recursive: true })
  return path
}

test('a server is asked once, and its tools are known in the next process before it is started', async () => {
  const { server, starts, alive } = countedServer()
  const dir = home()
  const first = await openScene({ servers: { own: server }, home: dir })
  await vi.waitFor(() => expect(first.kernel.all(Tools).get('mcp__own__ping')).toBeDefined())
  await first.kernel.stop()
  await vi.waitFor(() => expect(alive()).toEqual([]), WAIT)
  const { ask, model, kernel } = await openScene({ servers: { own: server }, home: dir, script: ['hi', call, 'done'] })
  await ask('hello')
  expect(starts()).toHaveLength(1)
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toContain('mcp__own__ping')
  expect(results(await ask('go'))).toEqual(['pong'])
  expect(starts()).toHaveLength(2)
  expect(alive()).toHaveLength(2)
  expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools)
  await kernel.stop()
  await vi.waitFor(() => expect(alive()).toEqual([]), WAIT)
})

test('a server that is asked for the first time is part of the first message, and a dead one does not delay it', async () => {
  const { ask, model } = await openScene({
    servers: { own: ownServer(''), dead: ownServer('lines.removeAllListeners("line"); setInterval(() => {}, 1000)') },
  })
  const began = Date.now()
  await ask('hello')
  expect(Date.now() - began).toBeLessThan(10_000)
  expect(model.requests).toHaveLength(1)
})

/** Where two servers in the shell note their starts. */
function shellServers() {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'starts')
  const starts = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const alive = () =>
    starts()
      .flatMap((line) => line.split(' ').map(Number))
      .filter((pid) => isPidInUse(pid))
  return { servers: { one: shellServer(file), two: shellServer(file) }, starts, alive }
}

test('after 100 forced reconnects, half of them of killed servers, there are as many children as servers', async () => {
  const { servers: settings, starts, alive } = shellServers()
  const { servers, kernel } = await openScene({ servers: settings })
  await servers().reload(limit())
  for (let at = 0; at < 50; at += 1) {
    for (const { pid } of at % 2 ? servers().list() : []) process.kill(pid as number, 'SIGKILL')
    await servers().reload(limit())
  }
  expect(servers().list()).toMatchObject([{ state: 'connected' }, { state: 'connected' }])
  expect(starts().length).toBeGreaterThanOrEqual(102)
  // Each with the child of its own.
  await vi.waitFor(() => expect(alive()).toHaveLength(4), WAIT)
  const mine = servers()
    .list()
    .map(({ pid }) => pid)
  expect(alive()).toEqual(expect.arrayContaining(mine))
  await kernel.stop()
  await vi.waitFor(() => expect(alive()).toEqual([]), WAIT)
})

test('turns send nothing to servers that are connected and not called, and start none that is idle', async () => {
  const { servers: settings, starts } = shellServers()
  const { url, requests } = await startHttpServer()
  const dir = home()
  const first = await openScene({ servers: { ...settings, far: { url } }, home: dir })
  await first.servers().reload(limit())
  await first.kernel.stop()
  const started = starts().length
  const { ask, servers, model } = await openScene({ servers: { ...settings, far: { url } }, home: dir })
  const before = requests.length
  await servers().connect('far', limit())
  // The stream of server-initiated messages is opened concurrently.
  await vi.waitFor(() => expect(requests.slice(before).some(({ method }) => method === 'GET')).toBe(true))
  const asked = requests.length
  for (const text of ['one', 'two', 'three']) await ask(text)
  expect(model.requests.at(-1)?.tools?.map(({ name }) => name)).toEqual(
    // Those of `far` are found by tool search: there is no room for all of them.
    expect.arrayContaining(['mcp__one__ping', 'mcp__two__ping', 'tool_search']),
  )
  expect(starts()).toHaveLength(started)
  expect(requests).toHaveLength(asked)
  expect(
    servers()
      .list()
      .map(({ state }) => state),
  ).toEqual(['idle', 'idle', 'connected'])
})

test('a call that is interrupted is cancelled at the server, which goes on', async () => {
  const body = `
    import { appendFileSync } from 'node:fs'
    onCall = ({ id }) => appendFileSync(process.argv[2], 'call ' + id + '\\n')
    onOther = ({ method, params }) => {
      if (method === 'notifications/cancelled') appendFileSync(process.argv[2], 'cancelled ' + params.requestId + '\\n')
    }`
  const file = join(temporaryFolder(), 'seen')
  mkdirSync(join(file, '..'), { recursive: true })
  const { command, args } = ownServer(body)
  const { servers } = await openScene({ servers: { own: { command, args: [...args, file] } } })
  const { pid } = await servers().connect('own', limit())
  const seen = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const interrupt = new AbortController()
  const called = servers().call('own', 'ping', {}, { signal: interrupt.signal })
  await vi.waitFor(() => expect(seen()).toHaveLength(1))
  interrupt.abort(new Error('enough'))
  await expect(called).rejects.toThrow('enough')
  await vi.waitFor(() => expect(seen()).toHaveLength(2))
  expect(seen()[1]).toBe(seen()[0]?.replace('call', 'cancelled'))
  expect(servers().get('own')).toMatchObject({ state: 'connected', pid })
})

test('a server that was killed is started again by the next call', async () => {
  const { server, starts } = countedServer()
  const { ask, servers } = await openScene({ servers: { own: server }, script: [call, 'one', call, 'two'] })
  await servers().connect('own', limit())
  process.kill(servers().get('own')?.pid as number, 'SIGKILL')
  await vi.waitFor(() => expect(servers().get('own')?.state).toBe('failed'))
  // The wait before the next attempt is one second.
  await vi.waitFor(() => servers().connect('own', limit()), { timeout: 10_000, interval: 200 })
  expect(results(await ask('go'))).toEqual(['pong'])
  expect(starts().length).toBeGreaterThan(1)
})

test('the filter of the settings decides what is offered: an empty list offers nothing', async () => {
  const body = `tools = ['a', 'b', 'c'].map((name) => ({ name, description: name, inputSchema: schema }))`
  const { servers, kernel } = await openScene({
    servers: {
      some: { ...ownServer(body), tools: { include: ['a'] } },
      most: { ...ownServer(body), tools: { exclude: ['a'] } },
      none: { ...ownServer(body), tools: { include: [] } },
    },
  })
  await Promise.all(['some', 'most', 'none'].map((name) => servers().connect(name, limit())))
  const names = kernel
    .all(Tools)
    .all()
    .map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('mcp__')).sort()).toEqual([
    'mcp__most__b',
    'mcp__most__c',
    'mcp__some__a',
  ])
})

test('twenty idle servers with many tools stay out of the request until they are searched for', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`s${at}`, { command: '/nowhere/server', args: [`${at}`] }]),
  )
  const dir = home()
  const { servers } = await openScene({ servers: many, home: dir })
  const tool = (name: string) => ({
    name,
    description: 'x'.repeat(300),
    inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'y'.repeat(200) } } },
  })
  expect(servers().list()).toHaveLength(20)

  const record = (args: string) => ({
    identity: identify({ command: '/nowhere/server', args: [args], url: undefined }),
    ...{ listedAt: 1, hasPrompts: true, hasResources: true, approved: {} },
    tools: Array.from({ length: 15 }, (_, at) => tool(`tool_${at}`)),
  })
  const records = Object.fromEntries(Object.keys(many).map((name, at) => [name, record(`${at}`)]))
  const state = join(dir, 'data', 'mcp', 'state', 'servers.json')
  mkdirSync(join(dir, 'data', 'mcp', 'state'), { recursive: true })
  writeFileSync(state, JSON.stringify({ version: 1, value: records }))
  const second = await openScene({ servers: many, home: dir, plugins: ['tool-search', 'toolsets'] })
  await second.ask('hello')
  const [request] = second.model.requests
  expect(
    second.kernel
      .all(Tools)
      .all()
      .filter(({ name }) => name.startsWith('mcp__')).length,
  ).toBeGreaterThan(300)
  expect(JSON.stringify(request?.tools).length).toBeLessThan(16_000)
  expect(JSON.stringify([request?.tools, request?.messages]).length).toBeLessThan(16_000)
})

test('servers of a svc that is killed end with it', async () => {
  const { server, alive } = countedServer()
  const dir = home()
  const servers = { own: server }
  writeFileSync(join(dir, 'config.yaml'), JSON.stringify({ model: { provider: 'demo' }, mcp_servers: servers }))
  const bin = join(import.meta.dirname, '../../../../dist/kernel/bin.cjs')
  const child = execFile(process.execPath, [bin, 'gateway', 'run'], {
    env: { ...process.env, SVC_HOME: dir, HOME: dir },
  })
  try {
    await vi.waitFor(() => expect(alive()).toHaveLength(2), { timeout: 60_000 })
  } finally {
    child.kill('SIGKILL')
  }
  await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: 20_000 })
})

test('what a conversation follows is followed again after a restart, and the server is asked for it once more', async () => {
  const dir = home()
  const file = join(dir, 'asked')
  const { command, args } = ownServer(`
    import { appendFileSync } from 'node:fs'
    capabilities = { tools: {}, resources: { subscribe: true } }
    onOther = (message) => {
      if (message.method.endsWith('subscribe')) appendFileSync(process.argv[2], message.method + ' ' + message.params.uri + '\\n')
      if (message.id !== undefined) answer(message.id, message.method === 'resources/list' ? { resources: [] } : {})
    }`)
  const own = { command, args: [...args, file] }
  const follow = { calls: [{ name: 'mcp__own__subscribe_resource', input: { uri: 'own:a' } }] }
  const first = await openScene({ servers: { own }, home: dir, script: [follow, 'done'] })
  await first.servers().connect('own', limit())
  const sessionId = first.kernel.use(Sessions).create({ cwd: dir }).id
  await first.ask('Follow it.', { sessionId })
  await first.kernel.stop()
  const second = await openScene({ servers: { own }, home: dir, script: ['hi', 'yes'] })
  await second.ask('Go on.', { sessionId })
  await expect.poll(() => second.servers().get('own')?.state, WAIT).toBe('connected')
  expect(readFileSync(file, 'utf8')).toBe('resources/subscribe own:a\nresources/subscribe own:a\n')
  await second.ask('And now?', { sessionId })
  expect(JSON.stringify(second.model.requests.at(-1)?.messages)).toContain(
    'The resource own:a of the MCP server own may have changed',
  )
})
