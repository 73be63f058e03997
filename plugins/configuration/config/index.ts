/** The one writer of the configuration, and what front ends need to show and check it. */
import { definePlugin } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'

export default definePlugin({
  setup(ctx) {
    const writer = async () => new (await import('./writer.ts')).ConfigWriter(ctx)
    ctx.provide(ConfigFile, () => ({
      write: async (edits, by) => (await writer()).write(edits, by),
      checkEdits: async (edits) => (await writer()).checkEdits(edits),
      replace: async (text, base, by) => (await writer()).replace(text, base, by),
      undo: async (id) => (await writer()).undo(id),
      restore: async () => (await writer()).restore(),
      accept: async () => (await writer()).accept(),
      history: async () => (await writer()).history(),
      migrate: async () => (await import('./migrations.ts')).migrate(ctx, await writer()),
      tidy: async (by) => (await writer()).tidy(by),
      migrateSettings: async (plugin, by) => (await writer()).migrateSettings(plugin, by),
      text: async () => (await writer()).text(),
      read: async (path) => (await import('./view.ts')).readKey(ctx, path),
      keys: async () => (await import('./view.ts')).listKeys(ctx),
      refused: async () => (await import('./check.ts')).refusedBlocks(ctx),
      check: async (text) => (await import('./check.ts')).findProblems(ctx, text),
    }))
  },
})
