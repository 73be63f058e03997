/** Wires the platform Slack. */
import { join } from 'node:path'
import { CliCommands, Clock, definePlugin, Net, Secrets } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { Storage } from 'svc/sdk/storage'
import { Http } from 'svc/sdk/web'
import { slackCommand } from './cli.ts'
import { config } from './config.ts'
import { SlackPlatform } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    /** `/name` in full: also a command that came while svc runs. */
    const isCommand = (name: string) => ctx.use(Commands).complete(`/${name}`, 'gateway').includes(`/${name}`)
    const host = () => ({
      config: ctx.config,
      log: ctx.log,
      clock: ctx.use(Clock),
      net: ctx.use(Net),
      http: () => ctx.use(Http),
      storage: () => ctx.use(Storage),
      takenFile: join(ctx.dataDir, 'taken.db'),
      isCommand,
      secret: (name: string) => ctx.use(Secrets).get(name),
    })
    ctx.add(Platforms, new SlackPlatform(ctx.config, host))
    ctx.add(CliCommands, slackCommand(ctx))
    ctx.add(StandIns, { name: 'slack', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
