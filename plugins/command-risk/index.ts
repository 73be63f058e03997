import { CommandRisks, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.provide(CommandRisks, () => ({
      command: async (command, setting) => (await import('./assess.ts')).assessCommand(command, setting),
      write: async (path, cwd) => (await import('./assess.ts')).assessWrite(path, cwd),
    }))
  },
})
