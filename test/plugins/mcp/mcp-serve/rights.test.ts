import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Sessions } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { echo, openKernel, served } from './client.ts'
import { KEY, listen, startServer } from './http.ts'

const keys = { EDITOR_KEY: 'k3y-of-the-editor-0123456789', PHONE_KEY: 'k3y-of-the-phone-9876543210' }
const editor = { authorization: `Bearer ${keys.EDITOR_KEY}` }
const phone = { authorization: `Bearer ${keys.PHONE_KEY}` }

async function startRights(clients: object) {
  const { with: plugins, config } = served(echo)
  const mcp_serve = { ...config.mcp_serve, clients }
  return startServer(['One.', 'Two.', 'Three.'], { kernel: { with: plugins, config: { mcp_serve }, env: keys } })
}

async function call(client: Client, name: string, input: object) {
  const { isError = false, structuredContent = {} } = await client.callTool({ name, arguments: { ...input } })
  return { isError, data: structuredContent as Record<string, unknown> }
}

const uris = async (client: Client) => (await client.listResources()).resources.map(({ uri }) => uri)

test('a client with a key of its own sees what it began, another one does not, and the main key sees all', async () => {
  const clients = { editor: { key_env: 'EDITOR_KEY', tools: ['echo'] }, phone: { key_env: 'PHONE_KEY' } }
  const { connect, kernel } = await startRights(clients)
  const [first, second, main] = [await connect(editor), await connect(phone), await connect()]
  const { data } = await call(first, 'chat', { message: 'apples' })
  const id = String(data['session_id'])
  const ids = async (client: Client, input: object = {}) =>
    ((await call(client, 'list_sessions', input)).data['sessions'] as { readonly id: string }[]).map((each) => each.id)
  expect(await ids(first)).toEqual([id])
  expect(await ids(first, { search: 'apples' })).toEqual([id])
  expect(await uris(first)).toEqual([`svc://sessions/${id}`])
  expect(await ids(main)).toEqual([id])
  expect(await ids(second)).toEqual([])
  expect(await ids(second, { search: 'apples' })).toEqual([])
  expect(await uris(second)).toEqual([])
  expect(await call(second, 'read_session', { session_id: id })).toMatchObject({ isError: true })
  expect(await call(second, 'chat', { message: 'go on', session_id: id })).toMatchObject({ isError: true })
  const uri = `svc://sessions/${id}`
  await expect(second.readResource({ uri })).rejects.toMatchObject({ code: -32002 })
  await expect(second.subscribeResource({ uri })).rejects.toMatchObject({ code: -32002 })
  expect(kernel.use(Sessions).summary(id).messageCount).toBe(2)
  expect((await call(await connect(editor), 'read_session', { session_id: id })).isError).toBe(false)
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
  expect([await names(first), await names(second), await names(main)].map((all) => all.includes('echo'))).toEqual([
    ...[true, false, true],
  ])
})

test('the id of a protocol session opens nothing for the holder of another key', async () => {
  const { url } = await startRights({ editor: { key_env: 'EDITOR_KEY' }, phone: { key_env: 'PHONE_KEY' } })
  const id = await initialize(url, editor)
  expect(await ping(url, phone, id)).toBe(404)
  expect(await ping(url, { authorization: 'Bearer nobody' }, id)).toBe(401)
  expect(await ping(url, editor, id)).toBe(200)
})

test('keys of clients that are not set, weak or the same do not start the server', async () => {
  for (const PHONE_KEY of [undefined, 'short', keys.EDITOR_KEY, KEY]) {
    const env = { MCP_SERVE_KEY: KEY, EDITOR_KEY: keys.EDITOR_KEY, ...(PHONE_KEY && { PHONE_KEY }) }
    const clients = { editor: { key_env: 'EDITOR_KEY' }, phone: { key_env: 'PHONE_KEY' } }
    const { kernel } = await openKernel(['x'], { env, config: { mcp_serve: { clients } } })
    await expect(listen(kernel)).rejects.toMatchObject({ code: 'MCP_SERVE_CLIENT' })
  }
})

test('a client that is silent for long is disconnected', async () => {
  const clock = virtualClock()
  const { url } = await startServer(['x'], { kernel: { clock, config: { mcp_serve: { idle_minutes: 10 } } } })
  const main = { authorization: `Bearer ${KEY}` }
  const [silent, used] = [await initialize(url, main), await initialize(url, main)]
  await clock.advance(8 * 60_000)
  expect(await ping(url, main, used)).toBe(200)
  await clock.advance(4 * 60_000)
  expect(await ping(url, main, silent)).toBe(404)
  expect(await ping(url, main, used)).toBe(200)
})

const send = (url: string, headers: Record<string, string>, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })

/** The id of the protocol session. */
async function initialize(url: string, headers: Record<string, string>): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const response = await send(url, headers, { method: 'initialize', params })
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

async function ping(url: string, headers: Record<string, string>, id: string): Promise<number> {
  const response = await send(url, { ...headers, 'mcp-session-id': id }, { method: 'ping' })
  await response.text()
  return response.status
}
