/** Wires the plan tool. The plan is state of the session, so branches, `/undo` and exports include it. */
import { join } from 'node:path'
import { definePlugin, Sessions, Tools } from 'svc/sdk'
import { BeforePlanChange, SessionPlan } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import type { EarlierPlans } from './earlier.ts'
import { todoTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    let earlier: EarlierPlans | undefined
    const find = async (sessionId: string) => {
      const session = ctx.use(Sessions).open(sessionId)
      if (session.state(SessionPlan)) return session
      const { EarlierPlans } = await import('./earlier.ts')
      earlier ??= new EarlierPlans(() => ctx.use(Storage), join(ctx.dataDir, 'todo.db'))
      earlier.move(sessionId, (plan) => session.setState(SessionPlan, plan))
      return session
    }
    ctx.add(
      Tools,
      todoTool(find, (change) => ctx.call(BeforePlanChange, change)),
    )
    ctx.defer(() => earlier?.close())
  },
})
