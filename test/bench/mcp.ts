/** What twenty idle MCP servers cost: `ours` has them in config.yaml, `bare` is the same without. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gateway, KEY, type Server } from './api.ts'
import { type Bench, svc } from './bench.ts'
import { measureCost } from './child.ts'
import { compare, type Sample } from './compare.ts'
import { createRow, type Row, type Target } from './row.ts'
import { LAST_WORDS } from './scenario.ts'

const SERVERS = 20
/** A turn takes milliseconds: a sample is the mean of several. */
const TURNS = 5
const ASKED_MS = 60_000

/** Answers `initialize` and `tools/list` with ten tools, in the shell: twenty of them have to start once. */
const SERVER = `while read -r line; do
  id=\${line##*'"id":'}; id=\${id%'}'}
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"idle","version":"1"}}}\\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}\\n' "$id" "$1" ;;
  esac
done
`

export async function measureMcp(user: Bench): Promise<Row[]> {
  user.progress(`${SERVERS} idle MCP servers`)
  const { workspace, model } = user
  const config = writeServers(workspace.cwd)
  const home = workspace.homeLike('home-mcp', model.url)
  await askOnce({ ...user, env: { ...user.env, SVC_HOME: home } }, home, config)
  const served = { ...user, env: { ...user.env, SVC_HOME: home } }
  return [...(await turns(user, home, config)), ...(await commands(user, served))]
}

function writeServers(dir: string): string {
  const script = join(dir, 'idle-server.sh')
  writeFileSync(script, SERVER)
  const tools = Array.from({ length: 10 }, (_, at) => ({
    name: `tool_${at}`,
    description: 'Does one thing of ten.',
    inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'Of a file.' } } },
  }))
  const args = [script, tools.map((tool) => JSON.stringify(tool)).join(',')]
  const servers = Object.fromEntries(
    Array.from({ length: SERVERS }, (_, at) => [`idle${at}`, { command: '/bin/sh', args: [...args, `${at}`] }]),
  )
  return `mcp_servers: ${JSON.stringify(servers)}\n`
}

/** Their lists are kept: from the next process on they are idle. */
async function askOnce(bench: Bench, home: string, config: string): Promise<void> {
  const server = await gateway(bench, { url: bench.model.url, home, config })
  const file = join(home, 'data', 'mcp', 'state', 'servers.json')
  const isAsked = () => existsSync(file) && (readFileSync(file, 'utf8').match(/"identity"/g) ?? []).length === SERVERS
  try {
    for (const end = performance.now() + ASKED_MS; !isAsked(); await new Promise((resolve) => setTimeout(resolve, 100)))
      if (performance.now() > end) throw new Error('the MCP servers were not asked for their tools')
  } finally {
    await end(server)
  }
}

async function turns(bench: Bench, home: string, config: string): Promise<Row[]> {
  const plain = bench.workspace.homeLike('home-no-mcp', bench.model.url)
  const bare = await gateway(bench, { url: bench.model.url, home: plain })
  const ours = await gateway(bench, { url: bench.model.url, home, config })
  try {
    const run = (server: Server) => () => ask(bench, server)
    const comparison = await compare({ bare: run(bare), ours: run(ours) }, bench.runs)
    const row = createRow(`a turn over the API, ${SERVERS} idle MCP servers`, 'ms', comparison.series('ms'), {
      max: 5,
      above: 'bare',
    })
    return [{ ...row, failures: comparison.failures }]
  } finally {
    await Promise.all([end(bare), end(ours)])
  }
}

/** Milliseconds of one turn, in a conversation of its own. */
async function ask({ model }: Bench, { port }: Server): Promise<Sample> {
  let ms = 0
  for (let turn = 0; turn < TURNS; turn++) {
    const { result } = await model.play({ rounds: 0, deltas: 1 }, async () => {
      const started = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'svc', messages: [{ role: 'user', content: `Question ${performance.now()}` }] }),
      })
      const text = await response.text()
      if (!text.includes(LAST_WORDS)) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
      return performance.now() - started
    })
    ms += result / TURNS
  }
  return { ms }
}

async function commands(bench: Bench, served: Bench): Promise<Row[]> {
  const version = (of: Bench) => async () => ({ ...measureCost(svc(of, ['--version'], '.')) })
  const question = (of: Bench) => async () => {
    const program = svc(of, ['chat', '-q', 'Tell me what you see.'], LAST_WORDS)
    return { ...(await of.model.play({ rounds: 0, deltas: 1 }, () => measureCost(program))).result }
  }
  const rows = async (work: string, run: typeof version, target?: Target): Promise<Row[]> => {
    const comparison = await compare({ bare: run(bench), ours: run(served) }, bench.runs)
    return [
      { ...createRow(work, 'ms', comparison.series('wall'), target), failures: comparison.failures },
      createRow(`${work}, CPU`, 'ms', comparison.series('cpu')),
    ]
  }
  return [
    ...(await rows(`svc --version, ${SERVERS} idle MCP servers`, version, { max: 1.05, of: 'bare' })),
    ...(await rows(`one-shot prompt, ${SERVERS} idle MCP servers`, question)),
  ]
}

async function end({ process: child }: Server): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
}
