/** The client that the conformance suite runs: svc, as it is built, with the server whose address is the last argument. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const url = process.argv.at(-1)
const root = join(import.meta.dirname, '../../../..')
const load = (file) => import(pathToFileURL(join(root, 'dist', file)).href)
const { openSvc } = await load('kernel/library.js')
const { McpServers } = await load('sdk/running/mcp.js')
const { Tools } = await load('sdk/running/index.js')

/** A client that was registered by hand. */
const { client_id, client_secret } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const oauth = client_id === undefined ? {} : { client_id, client_secret }
const home = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
const kernel = await openSvc({
  home,
  env: { PATH: process.env.PATH },
  role: 'command',
  plugins: ['mcp', 'people'],
  config: { mcp_servers: { suite: { url, oauth } } },
})
try {
  await drive()
} finally {
  await kernel.stop()
  rmSync(home, { recursive: true, force: true })
}

async function drive() {
  const servers = kernel.use(McpServers)
  const signal = AbortSignal.timeout(50_000)
  try {
    await servers.connect('suite', signal)
  } catch (error) {
    if (error.code !== 'MCP_SIGN_IN') throw error
    await signIn(servers, signal)
  }
  for (const { name, toolName } of servers.get('suite').tools)
    try {
      await call(name, toolName)
    } catch (error) {
      // The tool needs more than the first sign-in gave.
      if (error.code !== 'MCP_SIGN_IN') throw error
      await signIn(servers, signal)
      await call(name, toolName)
    }
  await servers.disconnect('suite')
}

async function signIn(servers, signal) {
  await servers.login('suite', { signal, show: (address) => void fetch(address) })
  await servers.connect('suite', signal)
}

/** As the agent calls it, with a person who accepts and leaves everything empty. */
async function call(name, toolName) {
  const input = name === 'add_numbers' ? { a: 5, b: 3 } : {}
  const signal = AbortSignal.timeout(50_000)
  const person = { isReachable: true, confirm: async () => true, choose: async () => '', ask: async () => '', say() {} }
  const turn = { sessionId: 's', turnId: 't', cwd: home, signal, person, progress() {} }
  const result = await kernel.all(Tools).get(toolName).run(input, turn)
  if (result.failed) throw new Error(result.text)
}
