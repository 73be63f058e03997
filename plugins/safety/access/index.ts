import { join } from 'node:path'
import {
  BeforeSlashCommand,
  CliCommands,
  Clock,
  createTranslator,
  definePlugin,
  logFault,
  Random,
  SlashCommands,
} from 'svc/sdk'
import { Access, PairingRequested } from 'svc/sdk/safety'
import { Storage } from 'svc/sdk/storage'
import { SharedTables } from 'svc/sdk/store'
import { AccessService } from './access.ts'
import { pairingCommand } from './cli.ts'
import { commandVerdict, whoamiCommand } from './commands.ts'
import { sharedTables } from './shared.ts'
import { openDoors, readRules } from './sources.ts'
import { PairingStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const file = join(ctx.dataDir, 'access.db')
    ctx.add(SharedTables, sharedTables(file))
    const store = new PairingStore(() => ctx.use(Storage), file)
    const access = new AccessService({
      store,
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      log: ctx.log,
      rules: (platform) => readRules(ctx, store, platform),
      openDoors: () => openDoors(ctx),
      announce: (request) => {
        const told = ctx.call(PairingRequested, request)
        told.catch((error: unknown) => logFault(ctx.log, 'a pairing request could not be announced', error))
      },
    })
    ctx.provide(Access, () => access)
    ctx.on(BeforeSlashCommand, (call) => commandVerdict(() => access, call), { order: -50 })
    ctx.add(
      SlashCommands,
      whoamiCommand(() => access, createTranslator(ctx)),
    )
    ctx.add(CliCommands, pairingCommand(access))
    ctx.defer(() => store.close())
  },
})
