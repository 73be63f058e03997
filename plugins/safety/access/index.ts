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
import { AccessService } from './access.ts'
import { pairingCommand } from './cli.ts'
import { commandVerdict, whoamiCommand } from './commands.ts'
import { openDoors, rulesOf } from './sources.ts'
import { PairingStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const store = new PairingStore(() => ctx.use(Storage), join(ctx.dataDir, 'access.db'))
    const access = new AccessService({
      store,
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      log: ctx.log,
      rules: (platform) => rulesOf(ctx, store, platform),
      openDoors: () => openDoors(ctx),
    })
    ctx.provide(Access, () => access)
    ctx.on(CommandCalling, (call) => commandVerdict(() => access, call), { stage: -100 })
    ctx.add(
      SlashCommands,
      whoamiCommand(() => access, translator(ctx)),
    )
    ctx.add(CliCommands, pairingCommand(access))
    ctx.defer(() => store.close())
  },
})
