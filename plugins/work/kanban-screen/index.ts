/** Wires the board into the full-screen interface. */
import { definePlugin } from 'svc/sdk'
import { Boards } from 'svc/sdk/kanban'
import { Overlays, TextLayout } from 'svc/sdk/terminal'
import { openBoardScreen } from './board-screen.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Overlays, {
      name: 'kanban',
      title: 'Kanban board',
      command: 'kanban',
      open: (ui) => openBoardScreen({ boards: ctx.use(Boards), layout: ctx.use(TextLayout), log: ctx.log, ui }),
    })
  },
})
