import { join } from 'node:path'
import {
  Approvals,
  AuxiliaryModels,
  CliCommands,
  Clock,
  CommandRisks,
  definePlugin,
  Random,
  Secrets,
  SlashCommands,
  StatusItems,
  Storage,
  ToolCalling,
  ToolCompleted,
  Tools,
  translator,
} from 'svc/sdk'
import { approvalsCommand } from './cli.ts'
import { approvalSlashCommands, yoloItem } from './commands.ts'
import { type Config, config } from './config.ts'
import { Desk } from './desk.ts'
import { Gate } from './gate.ts'
import type { Adviser } from './smart.ts'
import { ApprovalStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const store = new ApprovalStore(() => ctx.use(Storage), join(ctx.dataDir, 'approvals.db'))
    const clock = () => ctx.use(Clock)
    const desk = new Desk({ store: () => store, clock, log: ctx.log })
    let adviser: Promise<Adviser> | undefined
    const loadAdviser = async () => {
      const smart = await import('./smart.ts')
      const mask = (text: string) => ctx.use(Secrets).mask(text)
      return new smart.Adviser({ models: () => ctx.find(AuxiliaryModels), clock, mask, log: ctx.log })
    }
    const gate = new Gate({
      config: ctx.config,
      desk: () => desk,
      store: () => store,
      clock,
      random: () => ctx.use(Random),
      risks: () => ctx.use(CommandRisks),
      paths: ({ name, input, turn }) => ctx.all(Tools).get(name)?.paths?.(input, turn.cwd) ?? [],
      adviser: () => {
        adviser ??= loadAdviser()
        return adviser
      },
    })
    ctx.provide(Approvals, () => desk)
    ctx.on(ToolCalling, (request) => gate.decide(request))
    ctx.on(ToolCompleted, (result, request) => gate.note(result, request))
    ctx.add(CliCommands, approvalsCommand({ store, desk }))
    for (const command of approvalSlashCommands(desk, translator(ctx))) ctx.add(SlashCommands, command)
    ctx.add(StatusItems, yoloItem(desk))
    ctx.defer(() => store.close())
  },
})
