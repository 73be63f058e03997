/** Wires the tool `clarify` and the service by which front ends show its questions. */
import { Clock, definePlugin, type PluginContext, Questions, Tools } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { PendingQuestions } from './pending-questions.ts'
import { clarifyTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const make = ({ use, log }: PluginContext<Config>) => new PendingQuestions({ clock: () => use(Clock), log })
    // Turns that wait for an answer and front ends that show questions outlive a reload.
    const pending = ctx.keep('desk', make, (open) => open.close())
    ctx.provide(Questions, () => pending)
    ctx.add(
      Tools,
      clarifyTool(pending, ctx.config, () => ctx.use(Clock)),
    )
  },
})
