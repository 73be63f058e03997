import { join } from 'node:path'
import {
  Approvals,
  CliCommands,
  Clock,
  CommandRisks,
  definePlugin,
  Random,
  Storage,
  ToolCalling,
  ToolCompleted,
} from 'svc/sdk'
import { approvalsCommand } from './cli.ts'
import { type Config, config } from './config.ts'
import { Desk } from './desk.ts'
import { Gate } from './gate.ts'
import { ApprovalStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const store = new ApprovalStore(() => ctx.use(Storage), join(ctx.dataDir, 'approvals.db'))
    const clock = () => ctx.use(Clock)
    const desk = new Desk({ store: () => store, clock, log: ctx.log })
    const random = () => ctx.use(Random)
    const gate = new Gate({
      config: ctx.config,
      desk: () => desk,
      store: () => store,
      clock,
      random,
      risks: () => ctx.use(CommandRisks),
    })
    ctx.provide(Approvals, () => desk)
    ctx.on(ToolCalling, (request) => gate.decide(request))
    ctx.on(ToolCompleted, (result, request) => gate.note(result, request))
    ctx.add(CliCommands, approvalsCommand(store))
    ctx.defer(() => store.close())
  },
})
