/** Counts in a table that several machines share, and adds a kind of server that may keep it. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { type Generated, SharedStore, StoreEngines, type StoreMigration } from 'svc/sdk/store'

interface Tables {
  visits: { place: string; times: Generated<number> }
}

const migrations: StoreMigration[] = [
  async ({ db }) => {
    await db.schema
      .createTable('visits')
      .addColumn('place', 'text', (column) => column.primaryKey())
      .addColumn('times', 'bigint', (column) => column.notNull().defaultTo(1))
      .execute()
  },
]

export default definePlugin({
  setup(ctx) {
    ctx.add(StoreEngines, {
      name: 'acme',
      schemes: ['acme'],
      open: () => {
        throw new Error('Acme has no server for this home.')
      },
    })
    ctx.add(CliCommands, {
      name: 'visits',
      description: 'Count how often this ran on all machines.',
      run: async () => {
        await using store = await ctx.use(SharedStore).open<Tables>({ owner: 'visits', migrations })
        const { times } = await store.query
          .insertInto('visits')
          .values({ place: 'here' })
          .onConflict((row) => row.column('place').doUpdateSet((old) => ({ times: old('visits.times', '+', 1) })))
          .returning('times')
          .executeTakeFirstOrThrow()
        ctx.log.info('works', { times })
        return `${times}`
      },
    })
  },
})
