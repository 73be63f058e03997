import { request } from 'node:http'
import { defineTool } from 'svc/sdk'
import { expect, test } from 'vitest'
import { EventLog } from '../../../../plugins/mcp/mcp-serve/event-log.ts'
import { echo, openKernel, served } from './client.ts'
import { KEY, listen, startServer } from './http.ts'

const authorization = `Bearer ${KEY}`
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

function post(url: string, headers: Record<string, string>, body: unknown = initialize) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** The status for a request that names another host: a page whose name points to this machine. */
function statusUnder(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { authorization, host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end('{}')
  })
}

test('two clients with the key have the agent and the tools, each with its own progress', async () => {
  const { connect } = await startServer(['One.', 'Two.'], { kernel: served(echo) })
  const [first, second] = [await connect(), await connect()]
  const chat = { name: 'chat', arguments: { message: 'hi' } }
  expect(await first.callTool(chat)).toMatchObject({ content: [{ text: 'One.' }] })
  expect(await second.callTool(chat)).toMatchObject({ content: [{ text: 'Two.' }] })
  expect(await second.callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({
    content: [{ text: 'You said: x' }],
  })
})

test('without the key, with a wrong one, from a page and under a foreign name nothing is served', async () => {
  const { url, kernel } = await startServer(['x'])
  expect((await post(url, {})).status).toBe(401)
  expect((await post(url, { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await post(url, { authorization, origin: 'https://evil.example' })).status).toBe(403)
  expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(401)
  expect(await statusUnder(url, 'evil.example')).toBe(421)
  expect(kernel.problems()).toEqual([])
})

test('a server without a key, and with a weak one, does not start', async () => {
  for (const env of [{}, { MCP_SERVE_KEY: 'short' }]) {
    const { kernel } = await openKernel(['x'], { env })
    await expect(listen(kernel)).rejects.toMatchObject({ code: 'MCP_SERVE_KEY' })
  }
})

test('a session that is over or was never begun is refused, and a bad body costs nothing else', async () => {
  const { url, connect } = await startServer(['x'])
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect((await post(url, { authorization, 'mcp-session-id': 'nope' }, ping)).status).toBe(404)
  expect((await post(url, { authorization }, ping)).status).toBe(400)
  expect((await post(url, { authorization }, 'no json')).status).toBe(400)
  expect((await fetch(url, { headers: { authorization, accept: 'text/event-stream' } })).status).toBe(400)
  const begun = await post(url, { authorization })
  const id = begun.headers.get('mcp-session-id') ?? ''
  await begun.text()
  const ended = await fetch(url, { method: 'DELETE', headers: { authorization, 'mcp-session-id': id } })
  expect(ended.status).toBe(200)
  expect((await post(url, { authorization, 'mcp-session-id': id }, ping)).status).toBe(404)
  await (await connect()).ping()
})

test('a form reaches the person at the client over HTTP', async () => {
  const ask = defineTool({
    ...echo,
    name: 'ask',
    run: async (_input, { person }) => `${await person.ask('Which city?')}!`,
  })
  const { connect } = await startServer(['x'], {
    kernel: served(ask),
    fillIn: ({ params }) => ({ action: 'accept', content: { answer: params.message.includes('city') ? 'Graz' : '' } }),
  })
  const client = await connect()
  expect(await client.callTool({ name: 'ask', arguments: { text: 'x' } })).toMatchObject({
    content: [{ text: 'Graz!' }],
  })
})

test('svc that is told to stop ends while a call is under way', async () => {
  const { connect, model, stop, ended } = await startServer([{ gate: new Promise(() => {}), text: 'never' }])
  const client = await connect()
  client.callTool({ name: 'chat', arguments: { message: 'go' } }).catch(() => {})
  await expect.poll(() => model.requests.length).toBe(1)
  stop()
  expect(await ended).toBe(0)
})

test('of many clients the one that was silent longest is closed', async () => {
  const { url, connect } = await startServer(['x'])
  const ids: string[] = []
  for (let at = 0; at < 65; at++) {
    const begun = await post(url, { authorization })
    await begun.text()
    ids.push(begun.headers.get('mcp-session-id') ?? '')
  }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const first = await post(url, { authorization, 'mcp-session-id': ids[0] ?? '' }, ping)
  const last = await post(url, { authorization, 'mcp-session-id': ids.at(-1) ?? '' }, ping)
  expect([first.status, last.status]).toEqual([404, 200])
  await last.text()
  await (await connect()).ping()
})

/** The events of a stream, until `isEnough` or its end; then the connection is cut. */
async function readEvents(response: Response, isEnough: (events: readonly string[]) => boolean = () => false) {
  const events: string[] = []
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += new TextDecoder().decode(bytes)
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    events.push(...parts)
    if (isEnough(events)) break
  }
  return { events, lastId: /^id: (.*)$/m.exec(events.findLast((event) => event.includes('id: ')) ?? '')?.[1] ?? '' }
}

test('a client whose connection broke during a call gets the rest of the stream, and no other', async () => {
  let answer = () => {}
  const gate = new Promise<void>((resolve) => (answer = resolve))
  const { url, model } = await startServer([{ gate, text: 'Late.' }, 'Other.'])
  const params = { ...initialize.params, protocolVersion: '2025-11-25' }
  const begun = await post(url, { authorization }, { ...initialize, params })
  const headers = {
    authorization,
    'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  }
  await begun.text()
  const chat = (id: number, message: string) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'chat', arguments: { message } },
  })
  const { lastId } = await readEvents(await post(url, headers, chat(2, 'go')), (events) => events.length > 0)
  expect(lastId).not.toBe('')
  await expect.poll(() => model.requests.length).toBe(1)
  expect((await readEvents(await post(url, headers, chat(3, 'and')))).events.at(-1)).toContain('Other.')
  answer()
  const listen = (id: string) =>
    fetch(url, { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': id } })
  const rest = await readEvents(await listen(lastId), (events) => events.some((event) => event.includes('Late.')))
  expect(rest.events.join()).toContain('"id":2')
  expect(rest.events.join()).not.toContain('Other.')
  expect((await listen('99999')).status).toBe(400)
})

test('events of a client are kept within bounds, the newest of them', async () => {
  const log = new EventLog()
  const message = (text: string) => ({ jsonrpc: '2.0' as const, method: 'x', params: { text } })
  const ids: string[] = []
  for (let at = 0; at < 1200; at++) ids.push(await log.storeEvent('a', message(`${at}`)))
  expect(log.has(ids[199] ?? '')).toBe(false)
  expect(log.has(ids[200] ?? '')).toBe(true)
  const long = await log.storeEvent('b', message('x'.repeat(3 * 2 ** 20)))
  expect(log.has(ids[1199] ?? '')).toBe(false)
  expect(log.has(long)).toBe(true)
})
