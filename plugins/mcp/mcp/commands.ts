/** `/reload-mcp`: ends all connections and asks each server for its tools once more. */
import type { SlashCommand, Translate } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { McpServer, McpServers } from 'svc/sdk/mcp'

/** The command. */
export function reloadCommand(servers: () => McpServers, isConfirmed: () => boolean, t: Translate): SlashCommand {
  return {
    name: 'reload-mcp',
    description: 'Restart MCP servers and read their tools again',
    category: 'Tools & Skills',
    argsHint: '[--yes]',
    async run(args, { person, signal }) {
      if (servers().list().length === 0)
        return t('No MCP servers are configured. {command} adds one.', { command: '`svc mcp add`' })
      const isSure = /(?:^|\s)(?:now|--yes|-y)(?:\s|$)/.test(args) || !isConfirmed()
      const question = t('Reading the tools again makes the provider read the whole conversation once more. Continue?')
      if (!isSure && person.isReachable && (await person.confirm(question, { signal })) !== true)
        return t('Nothing was changed.')
      const all = await servers().reload(signal)
      return all.map((server) => describe(server, t)).join('\n')
    },
  }
}

function describe({ name, state, problem, tools }: McpServer, t: Translate): string {
  const held = tools.filter((tool) => tool.state === 'changed' || tool.state === 'suspicious')
  const offered = tools.filter((tool) => tool.state === 'offered').length
  const told = problem === undefined ? t('{count} tools', { count: offered }) : safeLine(problem)
  const line = `- **${name}** · ${state} · ${told}`
  if (held.length === 0) return line
  const command = `\`svc mcp tools ${name}\``
  return `${line} · ${t('{count} held back until you approve them: {command}', { count: held.length, command })}`
}
