import { definePlugin, SlashCommands } from 'svc/sdk'
import { StatusItems } from 'svc/sdk/terminal'
import { backgroundCommand } from './commands.ts'
import { BackgroundRuns } from './runs.ts'

export default definePlugin({
  setup(ctx) {
    const runs = new BackgroundRuns(ctx)
    ctx.add(SlashCommands, backgroundCommand(ctx, runs))
    ctx.add(StatusItems, {
      name: 'background',
      order: 40,
      line: (conversation) => {
        const count = runs.of(conversation).filter(({ state }) => state === 'running').length
        return count > 0 ? [{ text: `⇢ ${count}`, role: 'status' }] : undefined
      },
    })
    ctx.defer(() => runs.close())
  },
})
