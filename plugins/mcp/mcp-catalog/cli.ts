/** What the catalogue adds to `svc mcp`; each subcommand is in a file that is loaded when it runs. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'
import { McpPicker } from 'svc/sdk/mcp'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'As JSON' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }

export function catalogCommands(ctx: Context): readonly CliCommand[] {
  return [
    {
      name: 'mcp catalog',
      description: 'List the MCP servers that can be installed by name, and which are',
      options: [json],
      examples: ['mcp catalog', 'mcp catalog --json | jq .entries[].name'],
      run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
    },
    {
      name: 'mcp install',
      description:
        'Install an MCP server of the catalogue. Shows what will run, asks for its keys and, on a terminal, which tools to offer.',
      arguments: '<name>',
      options: [yes, json],
      examples: ['mcp install playwright', 'mcp install n8n --yes'],
      run: async (input, io) => (await import('./install.ts')).install(ctx, input, io),
    },
    {
      name: 'mcp configure',
      description: 'Choose which tools of an MCP server models can call, and set its missing keys',
      arguments: '<name>',
      options: [
        { flags: '--tools <names>', description: 'Offer only these tools, separated by commas' },
        { flags: '--all-tools', description: 'Offer all tools, also those that the server gets later' },
        json,
      ],
      examples: ['mcp configure playwright', 'mcp configure memory --tools read_graph,search_nodes'],
      run: async (input, io) => (await import('./configure.ts')).configure(ctx, input, io),
    },
    {
      name: 'mcp picker',
      description: 'Choose MCP servers to install, configure, switch or remove. Without a terminal: list them',
      examples: ['mcp picker'],
      run: (_input, io) => ctx.use(McpPicker).pick(io),
    },
    {
      name: 'mcp uninstall',
      description: 'Remove an MCP server with the files that its installation cloned',
      arguments: '<name>',
      options: [yes, json],
      examples: ['mcp uninstall playwright', 'mcp uninstall n8n --yes'],
      run: async (input, io) => (await import('./uninstall.ts')).uninstall(ctx, input, io),
    },
  ]
}
