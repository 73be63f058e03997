/** What the first request of a well-equipped home costs: the skills that come along, and twenty MCP servers that were listed earlier. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { identify } from '../../plugins/mcp/mcp/server.ts'
import { startModelServer } from '../support/model-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const SERVERS = 20
const TOOLS = 15

const tool = (name: string) => ({
  name,
  description: 'Reads what is there and says what came of it. '.repeat(8),
  inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'Where to begin. '.repeat(12) } } },
})

test('with all built-in skills and 300 tools of 20 MCP servers it stays below 16,000 bytes, and no server is started', async () => {
  const model = await startModelServer({ replies: [{ text: ['hello'] }] })
  onTestFinished(() => model.close())
  const home = temporaryFolder()
  const servers = Array.from({ length: SERVERS }, (_, at) => ({ name: `server-${at}`, args: [`${at}`] }))
  const settings = Object.fromEntries(servers.map(({ name, args }) => [name, { command: '/nowhere/server', args }]))
  const records = Object.fromEntries(
    servers.map(({ name, args }) => [
      name,
      {
        identity: identify({ command: '/nowhere/server', args, url: undefined }),
        ...{ listedAt: 1, hasPrompts: true, hasResources: true, approved: {} },
        tools: Array.from({ length: TOOLS }, (_, at) => tool(`tool_${at}`)),
      },
    ]),
  )
  writeFiles(home, {
    'config.yaml': JSON.stringify({
      model: { provider: 'custom', base_url: model.url, default: 'fake-model' },
      mcp_servers: settings,
    }),
    'data/mcp/state/servers.json': { version: 1, value: records },
  })
  const program = join(root, 'dist/kernel/bin.cjs')
  const env = { PATH: process.env['PATH'], SVC_HOME: home }
  const asked = promisify(execFile)(process.execPath, [program, 'chat', '-q', 'hi'], { cwd: home, env })
  asked.child.stdin?.end()
  const { stdout } = await asked
  expect(stdout).toContain('hello')
  const [request] = model.requests
  const text = request?.raw.toString() ?? ''
  expect(text).toContain('code-review')
  expect(text).toContain('mcp')
  expect(text.length).toBeLessThan(16_000)
})
