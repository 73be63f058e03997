/**
 * A process of svc that takes due work from PostgreSQL: items of a queue, or tasks of a board, one at a time. Arguments: the
 * folder of the package, URL, prefix, `queue` or `board`, and how many items to `fill` in instead.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [installed, url, prefix, kind, fill] = process.argv.slice(2)
const load = (file) => import(pathToFileURL(join(installed, 'dist/sdk', file)).href)
const [{ testKernel }, { SharedStore }, { Boards }] = await Promise.all(
  ['testing.js', 'store.js', 'kanban.js'].map(load),
)
const kernel = await testKernel({
  plugins: [kind === 'board' ? 'kanban' : 'shared-store'],
  env: { SVC_STORAGE_URL: url },
  config: { storage: { prefix } },
})
const holder = `bench ${process.pid}`

const kinds = {
  async queue() {
    const store = await kernel.use(SharedStore).open({
      owner: 'bench',
      migrations: [
        async ({ db }) => {
          await db.schema.createTable('done').addColumn('item', 'text').execute()
        },
      ],
    })
    const queue = store.queue('work')
    return {
      fill: async (count) => {
        await store.transaction(async (tx) => {
          for (let item = 0; item < count; item++) await queue.enqueue({ item }, {}, tx)
        })
      },
      work: async () => {
        for (;;) {
          const [item] = await queue.claim({ limit: 1, leaseMs: 60_000, holder })
          if (!item) return
          await store.transaction(async (tx) => {
            await queue.ack(item, tx)
            await tx.insertInto('done').values({ item: item.id }).execute()
          })
        }
      },
    }
  },
  async board() {
    const boards = kernel.use(Boards)
    await boards.list({ limit: 1 })
    return {
      fill: async (count) => {
        for (let at = 0; at < count; at++)
          await boards.create({ title: `Task ${at}`, assignee: 'default', by: 'bench' })
      },
      work: async () => {
        for (;;) {
          const cards = await boards.claimable({ limit: 500 })
          if (cards.length === 0) return
          // Gateways that all begin with the first task of the list would mostly find tasks that another has.
          const first = Math.floor(Math.random() * cards.length)
          for (const { id } of [...cards.slice(first), ...cards.slice(0, first)].slice(0, 25)) await work(boards, id)
        }
      },
    }
  },
}

async function work(boards, id) {
  const claim = await boards.claim(id, { holder })
  if (claim.refused === undefined) await boards.complete(id, { by: holder, lease: claim.lease, summary: 'Done.' })
}

const stage = await kinds[kind]()
if (fill !== undefined) await stage.fill(Number(fill))
else {
  process.stdout.write('ready\n')
  await once(process.stdin, 'data')
  await stage.work()
  process.stdout.write('done\n')
}
await kernel.stop()
process.exit(0)
