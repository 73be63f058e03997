/** A chat platform with a stand-in: a notice board that is read and written over HTTP. */
import { Clock, definePlugin, Net, Secrets } from 'svc/sdk'
import { Platforms, platformConfigSchema, StandIns } from 'svc/sdk/platform'
import { z } from 'zod'
import { Board } from './platform.ts'

const config = platformConfigSchema(z.object({ url: z.string().default('').describe('Address of the board.') }))

export default definePlugin({
  config,
  setup(ctx) {
    const token = () => ctx.use(Secrets).get('BOARD_TOKEN')
    const deps = { settings: ctx.config, net: () => ctx.use(Net), clock: () => ctx.use(Clock), token }
    ctx.add(Platforms, new Board(deps))
    ctx.add(StandIns, { name: 'board', open: async () => (await import('./stand-in.ts')).openStandIn() })
  },
})
