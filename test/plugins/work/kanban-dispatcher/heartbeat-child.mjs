/** Keeps the claims of some workers alive, all at once: `heartbeat-child.mjs DIST ROUNDS CLAIM...`, a claim as `task/epoch/nonce`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [dist, rounds, ...claims] = process.argv.slice(2)
const load = (file) => import(pathToFileURL(join(dist, file)).href)
const { openSvc } = await load('kernel/library.js')
const { Boards } = await load('sdk/kanban.js')
const opened = await openSvc({ plugins: ['kanban'] })
const boards = opened.use(Boards)
for (let round = 0; round < Number(rounds); round++)
  await Promise.all(
    claims.map(async (claim) => {
      const [taskId, epoch, nonce] = claim.split('/')
      await boards.heartbeat({ taskId, epoch: Number(epoch), nonce })
    }),
  )
await opened.stop()
