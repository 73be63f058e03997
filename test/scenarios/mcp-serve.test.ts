import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { KEY } from '../plugins/mcp/mcp-serve/http.ts'
import { runConformance, startProxy } from '../support/conformance/run.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

/** Tools of svc among what the suite calls. */
const TOOLS =
  'test_simple_text, test_image_content, test_error_handling, test_tool_with_progress, test_tool_with_logging'

test('a client starts svc, has a file written by the agent, calls a chosen tool, and reads the conversation', async () => {
  const [home, work] = [temporaryFolder(), temporaryFolder()]
  writeFiles(home, { 'config.yaml': 'model: { provider: demo, default: demo }\nmcp_serve: { tools: [read_file] }\n' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'dist/kernel/bin.cjs'), 'mcp', 'serve'],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home },
    cwd: work,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'desktop', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['chat', 'list_sessions', 'list_skills', 'read_file']))
  const chat = await client.callTool({ name: 'chat', arguments: { message: "write 'hello' to notes.txt" } })
  const { session_id } = chat.structuredContent as { session_id: string }
  const file = await client.callTool({ name: 'read_file', arguments: { path: join(work, 'notes.txt') } })
  expect(JSON.stringify(file.content)).toContain('hello')
  const read = await client.callTool({ name: 'read_session', arguments: { session_id } })
  expect(JSON.stringify(read.content)).toContain('notes.txt')
})

test('a client that is gone in the middle of a command leaves no process behind', async () => {
  const [home, work] = [temporaryFolder(), temporaryFolder()]
  writeFiles(home, { 'config.yaml': 'model: { provider: demo, default: demo }\n' })
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home }
  const child = spawn(process.execPath, [join(root, 'dist/kernel/bin.cjs'), 'mcp', 'serve'], { cwd: work, env })
  const over = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const command = `sleep 300.${process.pid}`
  const isRunning = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').includes(command)
  const chat = { name: 'chat', arguments: { message: `run \`${command}\`` } }
  for (const message of [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: chat },
  ])
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  await expect.poll(isRunning).toBe(true)
  child.stdin.end()
  child.stdout.destroy()
  expect(await over).toBe(0)
  await expect.poll(isRunning).toBe(false)
})

test('all 32 scenarios of the conformance suite for servers pass, with what a plugin exports', async () => {
  const proxy = await startProxy(KEY)
  onTestFinished(() => proxy.close())
  const home = temporaryFolder()
  writeFiles(home, {
    'config.yaml': `model: { provider: demo, default: demo }\nmcp_serve:\n  origins: ["${proxy.origin}"]\n  tools: [${TOOLS}]\n`,
  })
  proxy.lead(await startBuilt(home, ['--plugin', join(root, 'test/support/conformance/plugin')]))
  const { code, out } = await runConformance(`${proxy.origin}/mcp`)
  expect(code, out.slice(-4000)).toBe(0)
  expect(out.match(/^✓ .*: \d+ passed, 0 failed/gm), out.slice(-4000)).toHaveLength(32)
})

/** Its address. */
async function startBuilt(home: string, options: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home, MCP_SERVE_KEY: KEY }
  const args = [...options, 'mcp', 'serve', '--http', '--port', '0']
  const child = spawn(process.execPath, [join(root, 'dist/kernel/bin.cjs'), ...args], { cwd: home, env })
  const over = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill()
    await over
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      out += part.toString()
    })
  await expect.poll(() => out).toContain('http://')
  return /http:\/\/\S+/.exec(out)?.[0] ?? ''
}
