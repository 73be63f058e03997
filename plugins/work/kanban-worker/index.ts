/** Wires a worker. Loaded in the processes that the dispatcher starts, and nowhere else. */
import { CliCommands, Config, definePlugin, Home, Secrets, SvcError, Tools } from 'svc/sdk'
import { BeforeTurnEnd } from 'svc/sdk/hooks'
import { Boards } from 'svc/sdk/kanban'
import type { WorkerClaim } from './claim.ts'
import { graphTools } from './graph-tools.ts'
import { ownTools, type WorkerToolDeps } from './tools.ts'

const MAX_NUDGES = 2
const NUDGE =
  'You have neither completed nor blocked your kanban task. If it is done, call kanban_complete; if it is not, go on; if you cannot go on, call kanban_block with the reason.'

export default definePlugin({
  setup(ctx) {
    let current: { readonly claim: WorkerClaim; readonly sessionId: string } | undefined
    let nudges = 0
    const deps: WorkerToolDeps = {
      boards: () => ctx.use(Boards),
      mask: (text) => ctx.use(Secrets).mask(text),
      missing: () => (current ? undefined : 'is for workers of the kanban board'),
      claim: () => {
        if (current) return current.claim
        throw new SvcError('KANBAN_NO_CLAIM', 'This process has no task. The dispatcher starts workers.')
      },
      isOrchestrator: () => {
        const chosen = ctx.use(Config).get('kanban.orchestrator_profile')
        return (
          (ctx.use(Home).profile ?? 'default') === (typeof chosen === 'string' && chosen !== '' ? chosen : 'default')
        )
      },
    }
    for (const tool of [...ownTools(deps), ...graphTools(deps)]) ctx.add(Tools, tool)
    ctx.on(BeforeTurnEnd, (ending, { sessionId }) => {
      if (sessionId !== current?.sessionId || current.claim.isOver || nudges >= MAX_NUDGES) return ending
      nudges++
      return { ...ending, continueWith: ending.continueWith ?? NUDGE }
    })
    ctx.add(CliCommands, {
      name: 'kanban work',
      description: 'Works at the task that the dispatcher has claimed for this process. Started by the dispatcher.',
      examples: ['kanban work'],
      run: async (_input, io) => {
        const { work } = await import('./work.ts')
        return work(
          {
            ctx,
            taken: (claim, sessionId) => {
              current = { claim, sessionId }
            },
          },
          io,
        )
      },
    })
  },
})
