/** `svc slack manifest`: what Slack makes the app from. */
import type { CliCommand, PluginContext } from 'svc/sdk'
import type { Config } from './config.ts'

export function slackCommand(ctx: PluginContext<Config>): CliCommand {
  return {
    name: 'slack',
    description: 'What concerns the app at Slack.',
    subcommands: [
      {
        name: 'manifest',
        description: 'Print the manifest of the app, with a slash command for each command of svc',
        options: [
          { flags: '--url <address>', description: 'Public address for the mode events: https://bot.example.org' },
          { flags: '--view <view>', description: 'View for assistants: assistant (default), agent or none' },
          { flags: '--name <name>', description: 'Name of the app (default svc)' },
        ],
        examples: ['slack manifest', 'slack manifest --url https://bot.example.org --view none'],
        run: async (input, io) => (await import('./print-manifest.ts')).printManifest(ctx, input, io),
      },
    ],
  }
}
