/** Offers the platform `tcp`. Nothing listens until someone connects it: that is the gateway's business. */
import { definePlugin, Random } from 'svc/sdk'
import { Platforms } from 'svc/sdk/platform'
import { z } from 'zod'
import { TcpChat } from './platform.ts'

const config = z.object({
  port: z.number().int().min(0).max(65535).default(7777).meta({ description: 'Port on loopback; 0 takes a free one.' }),
})

export default definePlugin({
  config,
  setup(ctx) {
    ctx.add(Platforms, new TcpChat(ctx.config.port, () => ctx.use(Random).uuid()))
  },
})
