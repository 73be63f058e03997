import { join, relative } from 'node:path'
import { CliCommands, Clock, createTranslator, definePlugin, Home, Models, SlashCommands } from 'svc/sdk'
import { StatusSections } from 'svc/sdk/operations'
import { Providers } from 'svc/sdk/provider'
import { type BudgetLimits, Budgets } from 'svc/sdk/safety'
import { Storage } from 'svc/sdk/storage'
import { SharedScopes, SharedTables } from 'svc/sdk/store'
import { LedgerBudgets } from './budgets.ts'
import { budgetCommand, usageCommand } from './cli.ts'
import { usageCommands } from './commands.ts'
import { type Config, config } from './config.ts'
import { Ledger } from './ledger.ts'
import { sharedTables } from './shared.ts'
import { SharedTurns } from './shared-turns.ts'

/** They survive a reload of this plugin: their callers do not set them again. */
const groupCaps = new WeakMap<Home, Map<string, BudgetLimits>>()

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const home = ctx.use(Home)
    const clock = () => ctx.use(Clock)
    // All profiles of an account share one ledger: their caps have a common roof.
    const folder = join(home.root, relative(home.dir, ctx.dataDir))
    const file = join(folder, 'budgets.db')
    const ledger = new Ledger(() => ctx.use(Storage), file)
    ctx.add(SharedTables, sharedTables(file))
    const turns = new SharedTurns({ ledger, clock, scopes: () => ctx.find(SharedScopes) })
    const groups = groupCaps.get(home) ?? new Map<string, BudgetLimits>()
    groupCaps.set(home, groups)
    const service = () =>
      new LedgerBudgets({
        config: ctx.config,
        ledger,
        profile: home.profile ?? 'default',
        groups,
        clock,
        turns,
        describe: (choice) => {
          const info = ctx.use(Models).describe(choice)
          const isFree = ctx.all(Providers).get(choice.provider)?.auth?.type === 'none'
          return info.price || !isFree ? info : { ...info, price: { input: 0, output: 0 } }
        },
      })
    ctx.provide(Budgets, service)
    ctx.add(CliCommands, usageCommand(ledger, clock))
    ctx.add(StatusSections, {
      ...{ name: 'spending', title: 'Spending', order: 70 },
      read: async () =>
        (await import('./status-section.ts')).readSpending(ledger, { now: clock().now(), caps: ctx.config.account }),
    })
    ctx.add(CliCommands, budgetCommand(ledger))
    const commands = usageCommands({
      ...{ ctx, ledger, clock, budgets: () => ctx.use(Budgets), t: createTranslator(ctx) },
      standings: (sessionId) => service().standings(sessionId),
    })
    for (const command of commands) ctx.add(SlashCommands, command)
    ctx.defer(() => ledger.close())
  },
})
