/** The storage of a kernel whose disk is slow: it says that something is kept when the test lets it. */
import type { InlinePlugin } from 'svc'
import { Clock, Random } from 'svc/sdk'
import { type Database, Storage } from 'svc/sdk/storage'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'

type Held = 'committed' | 'synced'

export interface HeldStorage {
  readonly plugin: InlinePlugin
  /** From now on nothing is said to be kept. */
  hold(what: Held): void
  release(): void
}

export function heldStorage(): HeldStorage {
  const gates = new Map<Held, Promise<void>>()
  let open = () => {}
  const held = async (database: Database, what: Held) => {
    await database[what]()
    await gates.get(what)
  }
  const slow = (database: Database): Database => ({
    file: database.file,
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    transaction: (work, options) => database.transaction(work, options),
    hold: () => database.hold(),
    committed: () => held(database, 'committed'),
    synced: () => held(database, 'synced'),
    close: () => database.close(),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  })
  return {
    plugin: {
      name: 'held-storage',
      provides: ['storage'],
      setup(ctx) {
        const storage = new SqliteStorage({ clock: ctx.use(Clock), random: ctx.use(Random), log: ctx.log })
        ctx.provide(Storage, () => ({ open: (options) => slow(storage.open(options)) }))
        ctx.defer(() => storage.close())
      },
    },
    hold(what) {
      gates.set(
        what,
        new Promise((resolve) => {
          open = resolve
        }),
      )
    },
    release() {
      gates.clear()
      open()
    },
  }
}
