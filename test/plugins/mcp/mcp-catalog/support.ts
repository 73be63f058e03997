/** A kernel with the catalogue and entries of its own, in a home that several runs share. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigFile } from 'svc/sdk/host'
import { McpCatalogs, type McpOffer, McpServers } from 'svc/sdk/mcp'
import { type CliResult, type CliSetting, type TestKernel, testKernel } from 'svc/sdk/testing'
import { stringify } from 'yaml'
import { temporaryFolder } from '../../../support/temporary.ts'

/** What a manifest says besides its version and description. */
export type Entry = Readonly<Record<string, unknown>>

/** What the stand-in of the MCP client was asked, and what it says. */
export interface Client {
  readonly asked: string[]
  /** Names of tools; an error stands for a server that cannot be asked. */
  tools: readonly string[] | Error
  problems: readonly string[]
}

export interface Story {
  readonly home: string
  readonly client: Client
  run(argv: readonly string[], setting?: CliSetting): Promise<CliResult>
  /** Runs `work` in a kernel of its own. */
  within<T>(work: (kernel: TestKernel) => Promise<T>): Promise<T>
  /** Each answer is a line that is typed at a prompt. */
  type(argv: readonly string[], ...answers: string[]): Promise<CliResult>
  write(name: string, entry: Entry): void
  /** The text of a file of the home; empty if it is not there. */
  read(file: string): string
  /** What is in `mcp-installs`, locks apart. */
  installed(): readonly string[]
}

const STDIO = { type: 'stdio', command: 'npx', args: ['-y', 'clouds@1.2.3'], version: '1.2.3' }

/** Opens a home. `client`: what talks to servers, a stand-in if it is left out. */
export function openStory(
  entries: Readonly<Record<string, Entry>>,
  {
    client: kind = 'stand-in',
    env = {},
  }: { readonly client?: 'stand-in' | 'real' | 'none'; readonly env?: Record<string, string> } = {},
): Story {
  const [home, catalog] = [temporaryFolder(), temporaryFolder()]
  const client: Client = { asked: [], tools: [], problems: [] }
  const read = (file: string) => (existsSync(join(home, file)) ? readFileSync(join(home, file), 'utf8') : '')
  const write = (name: string, entry: Entry) => {
    mkdirSync(join(catalog, name), { recursive: true })
    const manifest = { manifest_version: 1, description: `About ${name}.`, transport: STDIO, ...entry }
    writeFileSync(join(catalog, name, 'manifest.yaml'), stringify(manifest))
  }
  for (const [name, entry] of Object.entries(entries)) write(name, entry)
  if (kind === 'none') writeFileSync(join(home, 'config.yaml'), 'plugins: { disabled: [mcp] }\n')
  const company = {
    name: 'company',
    contributes: { 'mcp-catalogs': ['company'] },
    setup: (ctx) => void ctx.add(McpCatalogs, { name: 'company', dir: catalog }),
  } satisfies Inline
  const within: Story['within'] = async (work) => {
    const kernel = await testKernel({
      plugins: ['mcp-catalog', ...(kind === 'real' ? ['mcp'] : [])],
      with: [company, ...(kind === 'stand-in' ? [toPlugin(client)] : [])],
      home,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    })
    try {
      return await work(kernel)
    } finally {
      await kernel.stop()
    }
  }
  const run: Story['run'] = (argv, setting) => within((kernel) => kernel.run(['mcp', ...argv], setting))
  return {
    home,
    client,
    run,
    within,
    type: (argv, ...answers) => run(argv, { interactive: true, answers }),
    write,
    read,
    installed: () => {
      const dir = join(home, 'mcp-installs')
      return existsSync(dir) ? readdirSync(dir).filter((name) => !name.endsWith('.lock')) : []
    },
  }
}

type Inline = NonNullable<NonNullable<Parameters<typeof testKernel>[0]>['with']>[number]

function toPlugin(client: Client): Inline {
  const createService = (file: ConfigFile): Pick<McpServers, 'probe' | 'check' | 'login' | 'remove'> => ({
    async probe(name) {
      client.asked.push(`probe ${name}`)
      if (client.tools instanceof Error) throw client.tools
      const tools = client.tools.map((tool) => ({ name: tool, description: `Does ${tool}.` }))
      return { tools } as unknown as McpOffer
    },
    check: () => client.problems,
    async login(name, { show }) {
      client.asked.push(`login ${name}`)
      show('https://example.com/sign-in')
    },
    async remove(name, by) {
      client.asked.push(`remove ${name}`)
      await file.write([{ path: `mcp_servers.${name}`, value: undefined }], by)
    },
  })
  return {
    name: 'fake-client',
    provides: ['mcp-servers'],
    requires: ['config-file'],
    setup: (ctx) => void ctx.provide(McpServers, () => createService(ctx.use(ConfigFile)) as McpServers),
  }
}
