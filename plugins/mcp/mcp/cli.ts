/** `svc mcp`: its subcommands, each in a file that is loaded when it runs. */
import type { CliCommand, CliOption } from 'svc/sdk'
import type { McpPicker, McpServers } from 'svc/sdk/mcp'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }

/** `picker`: what shows all there is to choose from; without it the servers are listed. */
export function mcpCommand(servers: () => McpServers, picker: () => Promise<McpPicker | undefined>): CliCommand {
  return {
    name: 'mcp',
    description:
      'MCP servers, whose tools the model can use. With no subcommand: choose them on a terminal, or list them.',
    examples: ['mcp', 'mcp list', 'mcp add docs --url https://example.com/mcp', 'mcp test docs'],
    subcommands: [...readCommands(servers), ...changeCommands(servers, picker), ...signInCommands(servers)],
    run: async (input, io) => (await picker())?.pick(io) ?? (await import('./cli-read.ts')).list(servers(), input, io),
  }
}

function readCommands(servers: () => McpServers): CliCommand[] {
  return [
    {
      name: 'list',
      description: 'Servers of config.yaml, and what is known of them. Starts none.',
      options: [json],
      examples: ['mcp list', 'mcp list --json'],
      run: async (input, io) => (await import('./cli-read.ts')).list(servers(), input, io),
    },
    {
      name: 'test',
      description: 'Start a server, ask it for all that it offers, and end it again. Exit code 1 when that fails.',
      arguments: '<name>',
      options: [json],
      examples: ['mcp test files', 'mcp test files --json'],
      run: async (input, io) => (await import('./cli-read.ts')).test(servers(), input, io),
    },
    {
      name: 'tools',
      description: 'Tools of a server, and which of them are held back because their definitions changed.',
      arguments: '<name> [tools...]',
      options: [{ flags: '--approve', description: 'Show the changes and approve them' }, yes, json],
      examples: ['mcp tools files', 'mcp tools files --approve', 'mcp tools files read_text --approve'],
      run: async (input, io) => (await import('./cli-tools.ts')).tools(servers(), input, io),
    },
  ]
}

function changeCommands(servers: () => McpServers, picker: () => Promise<McpPicker | undefined>): CliCommand[] {
  return [
    {
      name: 'add',
      description:
        'Add a server to config.yaml and ask it for its tools: the address of one over HTTP, or the command of one that svc starts, behind --.',
      arguments: '<name> [command...]',
      options: [
        { flags: '--url <address>', description: 'Address of a server over HTTP' },
        { flags: '--transport <kind>', description: 'http or sse (default: what the server has)' },
        { flags: '--header <text...>', description: 'Header "Name: value"; ${NAME} in it is a variable of .env' },
        { flags: '--env <text...>', description: 'NAME for a variable of .env, NAME=value for another value' },
        { flags: '--auth <kind>', description: 'oauth or none (default: what the server wants)' },
        { flags: '--include <tools>', description: 'Offer only these tools, separated by commas' },
        { flags: '--client-cert <file>', description: 'PEM file with the client certificate' },
        { flags: '--client-key <file>', description: 'PEM file with its key' },
        { flags: '--connect-timeout <seconds>', description: 'Seconds to start' },
        { flags: '--no-test', description: 'Do not start it now' },
        yes,
        json,
      ],
      examples: [
        'mcp add files -- npx -y @modelcontextprotocol/server-filesystem /data',
        'mcp add docs --url https://example.com/mcp --header "Authorization: Bearer ${DOCS_TOKEN}"',
      ],
      run: async (input, io) => (await import('./cli-change.ts')).add(servers(), input, io),
    },
    {
      name: 'remove',
      description:
        'Remove a server from config.yaml, with its tokens, what was approved of it, and the files of its installation.',
      arguments: '<name>',
      options: [yes, json],
      examples: ['mcp remove docs'],
      run: async (input, io) => (await import('./cli-change.ts')).remove(servers(), await picker(), input, io),
    },
  ]
}

function signInCommands(servers: () => McpServers): CliCommand[] {
  return [
    {
      name: 'login',
      description: 'Sign in to a server in your browser. From another machine, paste the address that it was sent to.',
      arguments: '<name>',
      options: [json],
      examples: ['mcp login docs'],
      run: async (input, io) => (await import('./cli-change.ts')).login(servers(), input, io),
    },
    {
      name: 'logout',
      description: 'Forget the tokens of a server.',
      arguments: '<name>',
      options: [yes, json],
      examples: ['mcp logout docs'],
      run: async (input, io) => (await import('./cli-change.ts')).logout(servers(), input, io),
    },
  ]
}
