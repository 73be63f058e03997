/** A conversation with an agent that has MCP servers, and servers to talk to. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, type Agent as AgentService, Sessions, type TurnEvent } from 'svc/sdk'
import { McpServers } from 'svc/sdk/mcp'
import { stripUntrustedMark } from 'svc/sdk/safety'
import { type FakeProvider, fakeProvider, type ScriptedReply, type TestKernel, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

/** The command of a server that npm has. */
export function npmServer(name: 'everything' | 'filesystem' | 'memory', ...args: readonly string[]) {
  const file = join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
  return { command: process.execPath, args: [file, ...args] }
}

/** The command of a server that a test wrote: `body` reads `lines` and writes with `send`. */
export function ownServer(body: string): { readonly command: string; readonly args: readonly string[] } {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'server.mjs')
  writeFileSync(file, `${PRELUDE}\n${body}`)
  return { command: process.execPath, args: [file] }
}

/**
 * The command of a server in the shell, which starts within a millisecond: the one tool `ping`, and a child that ignores its
 * input. `file` gets a line at each start, with the id of the server and that of its child.
 */
export function shellServer(file: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', SHELL, 'server', file] }
}

const SHELL = `sleep 600 </dev/null >/dev/null 2>&1 &
echo $$ $! >>"$1"
while read -r line; do
  id=\${line##*'"id":'}; id=\${id%'}'}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"ping","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"pong"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done`

const PRELUDE = `
import { createInterface } from 'node:readline'
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const answer = (id, result) => send({ id, result })
const schema = { type: 'object', properties: {} }
let tools = [{ name: 'ping', description: 'Answers', inputSchema: schema }]
let capabilities = { tools: { listChanged: true } }
let onCall = (message) => answer(message.id, { content: [{ type: 'text', text: 'pong' }] })
let onOther = (message) => { if (message.id !== undefined && message.method) answer(message.id, {}) }
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const message = JSON.parse(line)
  if (message.method === 'initialize')
    answer(message.id, { protocolVersion: message.params.protocolVersion, capabilities, serverInfo: { name: 'own', version: '1' } })
  else if (message.method === 'tools/list') answer(message.id, { tools })
  else if (message.method === 'tools/call') onCall(message)
  else onOther(message)
})
`

export interface McpScene {
  readonly kernel: TestKernel
  readonly model: FakeProvider
  servers(): McpServers
  /** One turn; its events. */
  ask(text: string, options?: { readonly sessionId?: string }): Promise<readonly TurnEvent[]>
}

export interface SceneOptions {
  readonly servers: Readonly<Record<string, object>>
  readonly script?: readonly ScriptedReply[]
  readonly home?: string
  readonly plugins?: readonly string[]
  /** More settings. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Calls are asked about; by default they run. */
  readonly asks?: boolean
}

export async function openScene(options: SceneOptions): Promise<McpScene> {
  const { servers, script = ['done'], home, plugins = [], asks = false, config = {} } = options
  const model = fakeProvider(script)
  const guards = asks ? ['approvals'] : []
  const kernel = await testKernel({
    plugins: ['agent', 'mcp', ...guards, ...plugins],
    with: [model.plugin],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    ...(home !== undefined && { home }),
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      mcp_servers: servers,
      ...config,
      ...(!asks && { plugins: { disabled: ['approvals'] } }),
    },
  })
  onTestFinished(() => kernel.stop())
  const agent: () => AgentService = () => kernel.use(Agent)
  return {
    kernel,
    model,
    servers: () => kernel.use(McpServers),
    async ask(text, { sessionId } = {}) {
      const session = sessionId ?? kernel.use(Sessions).create({ cwd: kernel.home }).id
      const events: TurnEvent[] = []
      for await (const event of agent().run({ sessionId: session, surface: 'test', text })) events.push(event)
      return events
    },
  }
}

/** What the calls of a turn answered. */
export function results(events: readonly TurnEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'tool.complete' ? [stripUntrustedMark(event.text)] : []))
}
