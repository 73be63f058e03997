/** Wires the shell command `svc cron` and `/cron`. */
import { CliCommands, definePlugin, SlashCommands } from 'svc/sdk'
import { cronCommand } from './cli.ts'
import { cronSlashCommand } from './commands.ts'
import { bringJobs } from './jobs.ts'

export default definePlugin({
  setup(ctx) {
    const command = cronCommand(ctx)
    ctx.add(CliCommands, command)
    ctx.add(
      SlashCommands,
      cronSlashCommand(command, () => bringJobs(ctx)),
    )
  },
})
