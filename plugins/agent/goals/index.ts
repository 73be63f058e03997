import { join } from 'node:path'
import { createTranslator, definePlugin, Sessions, SlashCommands, TurnEnded } from 'svc/sdk'
import { ConversationOpened } from 'svc/sdk/hooks'
import { Storage } from 'svc/sdk/storage'
import { StatusItems } from 'svc/sdk/terminal'
import { goalCommands } from './commands.ts'
import { type Config, config } from './config.ts'
import { GoalLoop } from './goal-loop.ts'
import { GoalStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const t = createTranslator(ctx)
    const store = new GoalStore(
      () => ctx.use(Sessions),
      () => ctx.use(Storage),
      join(ctx.dataDir, 'goals.db'),
    )
    const loop = new GoalLoop(ctx, store, t)
    for (const command of goalCommands({ store, loop, t })) ctx.add(SlashCommands, command)
    ctx.add(StatusItems, {
      name: 'goal',
      order: 30,
      line: ({ sessionId }) => {
        const goal = store.get(sessionId)
        if (!goal || goal.status === 'done') return undefined
        return [
          { text: `◎ ${goal.turns}/${goal.maxTurns}`, role: goal.status === 'paused' ? 'status-warning' : 'status' },
        ]
      },
    })
    ctx.on(ConversationOpened, ({ conversation }) => loop.opened(conversation))
    // Judging takes longer than a hook may.
    ctx.on(TurnEnded, ({ sessionId, reason }) => void loop.turnEnded(sessionId, reason))
    ctx.defer(() => {
      loop.close()
      return store.close()
    })
  },
})
