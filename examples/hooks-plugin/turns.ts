/** Hooks over the life of a turn: its input, its begin, the tools and the commands that it starts. */
import { Clock, type PluginContext, TurnEnded } from 'svc/sdk'
import {
  AfterToolBatch,
  BeforeUserInput,
  SelectCommandEnvironment,
  SelectToolDefinitions,
  TurnStarted,
} from 'svc/sdk/hooks'
import type { z } from 'zod'
import type { config } from './config.ts'

export function listenToTurns(ctx: PluginContext<z.infer<typeof config>>): void {
  const { answers, environment, tool_notes: notes, after_writes: reminder } = ctx.config
  const began = new Map<string, number>()

  // A `reply` is the answer: no model is asked.
  ctx.on(BeforeUserInput, (input) => {
    const reply = answers[input.text.trim().toLowerCase()]
    return reply === undefined ? undefined : { ...input, reply }
  })

  ctx.on(TurnStarted, ({ turnId }) => void began.set(turnId, ctx.use(Clock).monotonic()))
  ctx.on(TurnEnded, ({ turnId, purpose, reason }) => {
    const ms = ctx.use(Clock).monotonic() - (began.get(turnId) ?? 0)
    began.delete(turnId)
    ctx.log.info('a turn has ended', { purpose, reason, ms })
  })

  // The same in each turn, so that the provider can reuse its cache.
  ctx.on(SelectToolDefinitions, (definitions) =>
    definitions.map((each) => {
      const note = notes[each.name]
      return note === undefined ? each : { ...each, description: `${each.description} ${note}` }
    }),
  )

  ctx.on(SelectCommandEnvironment, (variables) => ({ ...variables, ...environment }))

  // The matcher: only for answers with a call of one of these tools, by any of their names.
  ctx.on(AfterToolBatch, (batch) => (reminder ? { ...batch, context: reminder } : undefined), {
    tools: ['Write', 'Edit'],
  })
}
