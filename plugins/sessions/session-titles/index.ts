/** Wires the naming of conversations to the end of their first turn. */
import { AuxiliaryModels, definePlugin, errorMessage, Sessions, TurnEnded } from 'svc/sdk'
import { isWanted, SLOT } from './slot.ts'

export default definePlugin({
  setup(ctx) {
    /** Naming under way, so that an unload waits for none of it and two ends of a turn start one. */
    const under = new Set<string>()
    ctx.on(TurnEnded, ({ sessionId, reason }) => {
      const models = ctx.use(AuxiliaryModels)
      const isDue = reason === 'completed' && !under.has(sessionId) && isWanted(models.slots())
      if (!isDue) return
      under.add(sessionId)
      void import('./title.ts')
        .then(({ nameSession }) => nameSession(ctx.use(Sessions), models, sessionId, ctx.signal))
        .catch((error) =>
          ctx.log.warn(`The slot ${SLOT} gave conversation ${sessionId} no title: ${errorMessage(error)}`, { error }),
        )
        .finally(() => under.delete(sessionId))
    })
  },
})
