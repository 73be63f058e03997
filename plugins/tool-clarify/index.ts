/** Wires the tool `clarify` and the service by which front ends show its questions. */
import { Clock, definePlugin, type PluginContext, Questions, Tools } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { QuestionDesk } from './desk.ts'
import { clarifyTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const make = ({ use, log }: PluginContext<Config>) => new QuestionDesk({ clock: () => use(Clock), log })
    // Turns that wait for an answer and front ends that show questions outlive a reload.
    const desk = ctx.keep('desk', make, (open) => open.close())
    ctx.provide(Questions, () => desk)
    ctx.add(
      Tools,
      clarifyTool(desk, ctx.config, () => ctx.use(Clock)),
    )
  },
})
