/** Adds PostgreSQL to the engines of the shared store. */
import { Clock, definePlugin } from 'svc/sdk'
import { StoreEngines } from 'svc/sdk/store'
import { parseAddress } from './address.ts'
import { PostgresServer } from './server.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(StoreEngines, {
      name: 'postgres',
      schemes: ['postgres', 'postgresql'],
      open: (options) =>
        new PostgresServer({ ...options, address: parseAddress(options.url), clock: ctx.use(Clock), log: ctx.log }),
    })
  },
})
