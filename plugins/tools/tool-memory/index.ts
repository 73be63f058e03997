/** Wires the memory tool and the two parts of the prompt that show what is remembered, and the routes for the person it is about. */
import { join } from 'node:path'
import { createTranslator, definePlugin, Home, PromptParts, Random, Secrets, SlashCommands, Tools } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { LearningSources } from 'svc/sdk/skills'
import { Storage } from 'svc/sdk/storage'
import { memoryCommand } from './commands.ts'
import { config } from './config.ts'
import { createLearningSource, removedEntries } from './learning.ts'
import { memoryRoutes } from './routes.ts'
import { snapshotParts } from './snapshot.ts'
import { type MemoryDeps, memoryTool } from './tools.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const host: MemoryDeps = {
      folder: () => ctx.use(Home).path('memories'),
      limits: { memory: ctx.config.memory_char_limit, user: ctx.config.user_char_limit },
      storage: () => ctx.use(Storage),
      lockFile: join(ctx.dataDir, 'lock.db'),
      random: () => ctx.use(Random),
      mask: (text) => ctx.use(Secrets).mask(text),
      warn: (text) => ctx.log.warn(text),
    }
    ctx.add(Tools, memoryTool(host))
    const t = createTranslator(ctx)
    ctx.add(SlashCommands, memoryCommand(host, t))
    for (const route of memoryRoutes(ctx, host)) ctx.add(DashboardRoutes, route)
    const removed = ctx.state('removed', { schema: removedEntries, initial: [] })
    ctx.add(LearningSources, createLearningSource(host, { removed, t }))
    for (const part of snapshotParts(host)) ctx.add(PromptParts, part)
  },
})
