/** MCP servers that an editor names: for its session alone, and gone with it. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { McpServers } from 'svc/sdk/mcp'
import type { TestKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startHttpServer } from '../../mcp/mcp/http-server.ts'
import { shellServer } from '../../mcp/mcp/scene.ts'
import { startEditor } from './editor.ts'

const options = {
  plugins: ['mcp'],
  env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', KEY: 's3cret-of-svc' },
  config: { plugins: { disabled: ['approvals'] } },
}

function editorServer() {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'starts')
  const { command, args } = shellServer(file)
  const server = { name: 'my tools', command, args: [...args], env: [] }
  return { server, pid: () => Number(readFileSync(file, 'utf8').split(' ')[0]) }
}

/** A message waits a moment for it; a machine under load may need longer. */
async function connected(kernel: TestKernel): Promise<void> {
  await expect.poll(() => kernel.use(McpServers).list()[0]?.state).toBe('connected')
}

test('a server that an editor names over stdio is there for its session alone, and ends with it', async () => {
  const { server, pid } = editorServer()
  const call = { calls: [{ name: 'mcp__my_tools__ping', input: {} }] }
  const scene = await startEditor([call, 'done', 'hello', 'hello'], { kernel: options })
  const { agent, prompt, model, begin } = scene
  const { sessionId } = await begin(scene.kernel.home, [server])
  await connected(scene.kernel)
  await prompt(sessionId, 'ping')
  const tools = (at: number) => model.requests[at]?.tools?.map(({ name }) => name)
  expect(tools(0)).toContain('mcp__my_tools__ping')
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('pong')
  const other = await begin()
  await prompt(other.sessionId, 'hello')
  expect(tools(2)).not.toContain('mcp__my_tools__ping')
  expect(isPidInUse(pid())).toBe(true)
  await agent.request('session/close', { sessionId })
  await expect.poll(() => isPidInUse(pid())).toBe(false)
  expect(scene.kernel.all(Tools).get('mcp__my_tools__ping')).toBeUndefined()
  expect(scene.kernel.use(McpServers).list()).toEqual([])
})

test('a server over HTTP gets the headers of the editor and no secret of svc; one that cannot be used costs nothing else', async () => {
  const { url, requests } = await startHttpServer()
  const scene = await startEditor(['done'], { kernel: options })
  const { sessionId } = await scene.begin(scene.kernel.home, [
    { type: 'http', name: 'far', url, headers: [{ name: 'x-key', value: 'of-the-editor ${KEY}' }] },
    { type: 'http', name: 'bad', url: 'ftp://example.com', headers: [] },
  ])
  await connected(scene.kernel)
  await scene.prompt(sessionId, 'hello')
  expect(scene.kernel.all(Tools).get('mcp__far__look')).toBeDefined()
  expect(requests.map(({ headers }) => headers['x-key'])).toContain('of-the-editor ${KEY}')
  expect(JSON.stringify(scene.raw)).toContain('The MCP server bad of the editor is not connected.')
})

test('a session that is loaded gets the servers that are named then, and two sessions share one', async () => {
  const { server, pid } = editorServer()
  const scene = await startEditor(['one', 'two'], { kernel: options })
  const { agent, prompt, begin } = scene
  const { sessionId } = await begin(scene.kernel.home, [server])
  await prompt(sessionId, 'hello')
  const second = await begin(scene.kernel.home, [server])
  expect(scene.kernel.use(McpServers).list()).toHaveLength(1)
  await agent.request('session/load', { sessionId, cwd: scene.kernel.home, mcpServers: [] })
  expect(scene.kernel.use(McpServers).list()).toHaveLength(1)
  await agent.request('session/close', { sessionId: second.sessionId })
  expect(scene.kernel.use(McpServers).list()).toHaveLength(0)
  await expect.poll(() => isPidInUse(pid())).toBe(false)
})
