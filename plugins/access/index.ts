import { join } from 'node:path'
import {
  Access,
  CliCommands,
  Clock,
  CommandCalling,
  definePlugin,
  Random,
  SlashCommands,
  Storage,
  translator,
} from 'svc/sdk'
import { AccessDesk } from './access.ts'
import { pairingCommand } from './cli.ts'
import { commandVerdict, whoamiCommand } from './commands.ts'
import { openDoors, rulesOf } from './sources.ts'
import { PairingStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const store = new PairingStore(() => ctx.use(Storage), join(ctx.dataDir, 'access.db'))
    const desk = new AccessDesk({
      store,
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      log: ctx.log,
      rules: (platform) => rulesOf(ctx, store, platform),
      openDoors: () => openDoors(ctx),
    })
    ctx.provide(Access, () => desk)
    ctx.on(CommandCalling, (call) => commandVerdict(() => desk, call), { stage: -100 })
    ctx.add(
      SlashCommands,
      whoamiCommand(() => desk, translator(ctx)),
    )
    ctx.add(CliCommands, pairingCommand(desk))
    ctx.defer(() => store.close())
  },
})
