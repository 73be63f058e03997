/** The whole way with the real client and real servers: an entry is installed, asked, narrowed, called and removed. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { McpServers } from 'svc/sdk/mcp'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openStory } from './support.ts'

const from = createRequire(import.meta.url)
/** As an entry starts it: the program of an npm package, here without a download. */
const server = (name: string, ...args: string[]) => ({
  type: 'stdio',
  command: 'node',
  args: [from.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
})

test('the memory server is installed, offers its tools for choice, and is gone after uninstall', async () => {
  const file = join(temporaryFolder(), 'memory.jsonl')
  const transport = { ...server('memory'), env: { MEMORY_FILE_PATH: file } }
  const story = openStory({ graph: { transport, tools: { default_enabled: ['read_graph'] } } }, { client: 'real' })
  const { code, out } = await story.type(['install', 'graph'], 'y', 'search_nodes', '')
  expect(code).toBe(0)
  expect(out).toMatch(/\[x\] read_graph /)
  expect(out).toMatch(/\[ \] delete_entities /)
  expect(parse(story.read('config.yaml'))).toMatchObject({
    mcp_servers: { graph: { command: 'node', tools: { include: ['read_graph', 'search_nodes'] } } },
  })
  const tools = await story.within(async (kernel) => {
    const offer = await kernel.use(McpServers).probe('graph', AbortSignal.timeout(30_000))
    return offer.tools.filter(({ state }) => state === 'offered').map(({ name }) => name)
  })
  expect(tools).toEqual(['read_graph', 'search_nodes'])
  expect((await story.run(['uninstall', 'graph', '--yes'])).code).toBe(0)
  expect((parse(story.read('config.yaml')) as { mcp_servers?: unknown }).mcp_servers ?? {}).toEqual({})
})

test('a variable that is typed reaches the server: the folder that the file server may read', async () => {
  const folder = temporaryFolder()
  const env = [{ name: 'MCP_FILESYSTEM_FOLDER', secret: false }]
  const story = openStory(
    { files: { transport: server('filesystem', '${MCP_FILESYSTEM_FOLDER}'), auth: { type: 'api_key', env } } },
    { client: 'real' },
  )
  expect((await story.type(['install', 'files'], 'y', folder, 'q')).code).toBe(0)
  const answer = await story.within((kernel) => {
    const options = { signal: AbortSignal.timeout(30_000) }
    return kernel.use(McpServers).call('files', 'list_allowed_directories', {}, options)
  })
  expect(JSON.stringify(answer)).toContain(folder)
})

test('a server that cannot be started stays installed with its default tools, and the reason is shown', async () => {
  const transport = { type: 'stdio', command: 'node', args: ['not-there.js'] }
  const story = openStory({ broken: { transport, tools: { default_enabled: ['look'] } } }, { client: 'real' })
  const { code, err } = await story.type(['install', 'broken'], 'y')
  expect({ code, err }).toMatchObject({
    code: 0,
    err: expect.stringContaining('broken could not be asked for its tools:'),
  })
  expect(parse(story.read('config.yaml'))).toMatchObject({ mcp_servers: { broken: { tools: { include: ['look'] } } } })
})

test('svc mcp without a subcommand opens the picker on a terminal, and lists otherwise', async () => {
  const story = openStory({ clouds: {} }, { client: 'real' })
  expect((await story.run([])).out).toMatch(/^clouds +About clouds\.$/m)
  expect((await story.type([], 'q')).out).toMatch(/^ +\d+ clouds +About clouds\.$/m)
})
