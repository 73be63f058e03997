/** Provides `boards`: the kanban board. */
import { definePlugin, Random, Secrets } from 'svc/sdk'
import { Boards } from 'svc/sdk/kanban'
import { StatusSections } from 'svc/sdk/operations'
import { SharedStore } from 'svc/sdk/store'
import { KanbanBoards } from './service.ts'

export default definePlugin({
  setup(ctx) {
    const boards = new KanbanBoards({
      store: () => ctx.use(SharedStore),
      random: () => ctx.use(Random),
      secrets: () => ctx.use(Secrets),
    })
    ctx.provide(Boards, () => boards)
    ctx.add(StatusSections, {
      ...{ name: 'board', title: 'Kanban', order: 65 },
      read: async () => (await import('./status-section.ts')).readBoardStatus(boards),
    })
    ctx.defer(() => boards.close())
  },
})
