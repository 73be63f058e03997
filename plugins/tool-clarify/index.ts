/** Wires the tool `clarify` and the service by which front ends show its questions. */
import { Clock, definePlugin, Questions, Tools } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { QuestionDesk } from './desk.ts'
import { clarifyTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const desk = new QuestionDesk({ clock: () => ctx.use(Clock), log: ctx.log })
    ctx.provide(Questions, () => desk)
    ctx.add(
      Tools,
      clarifyTool(desk, ctx.config, () => ctx.use(Clock)),
    )
    ctx.defer(() => desk.close())
  },
})
