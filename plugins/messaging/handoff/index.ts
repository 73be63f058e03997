import { definePlugin, SlashCommands, TurnEnded } from 'svc/sdk'
import { PlatformChanged } from 'svc/sdk/hooks'
import { createCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { Handoffs } from './handoffs.ts'
import { Mirrors } from './mirrors.ts'
import { Requests } from './requests.ts'
import { createTopicCommand } from './topics.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const requests = new Requests(ctx)
    const mirrors = new Mirrors(ctx, requests)
    const handoffs = new Handoffs(ctx, requests)
    ctx.add(SlashCommands, createCommand(ctx, requests, handoffs))
    ctx.add(SlashCommands, createCommand(ctx, requests, mirrors))
    ctx.add(SlashCommands, createTopicCommand(ctx))
    ctx.on(TurnEnded, ({ sessionId, turnId, text }) => mirrors.mirror({ sessionId, turnId, text }))
    ctx.on(PlatformChanged, async ({ name, state }) => {
      if (state !== 'connected') return
      await handoffs.resume(name)
      await mirrors.resume(name)
    })
  },
})
