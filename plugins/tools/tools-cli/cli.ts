/** `svc tools`: its subcommands, each in a file that is loaded when it runs. */
import type { CliArguments, CliCommand, CliContext, PluginContext } from 'svc/sdk'

const surface = {
  flags: '-s, --surface <name>',
  description: 'Apply to this surface only: cli, api, webhook, cron, or a platform',
}
const json = { flags: '--json', description: 'As JSON' }

/** The command. */
export function toolsCommand(ctx: PluginContext<undefined>): CliCommand {
  const list = async (input: CliArguments, io: CliContext) => (await import('./list.ts')).list(ctx, input, io)
  const switchTo = (name: string, to: 'on' | 'off', description: string): CliCommand => ({
    name,
    description,
    arguments: '<name...>',
    options: [{ flags: '-s, --surface <name>', description: 'Only for this front end' }],
    examples: [`tools ${name} web`, `tools ${name} terminal --surface api`],
    run: async (input, io) => (await import('./switch.ts')).switchTools(ctx, to, input, io),
  })
  return {
    name: 'tools',
    description: 'Show tools and switch them on and off; on a terminal a menu',
    options: [surface, json],
    examples: ['tools', 'tools list --surface webhook', 'tools disable terminal --surface telegram'],
    run: async (input, io) => {
      if (!io.interactive || input.options['json'] === true) return list(input, io)
      return (await import('./menu.ts')).menu(ctx, input, io)
    },
    subcommands: [
      {
        name: 'list',
        description: 'Toolsets with their tools, what is off and what is missing',
        options: [surface, json],
        examples: ['tools list', 'tools list --surface api --json'],
        run: list,
      },
      switchTo('enable', 'on', 'Switch toolsets or tools on'),
      switchTo('disable', 'off', 'Switch toolsets or tools off'),
    ],
  }
}
