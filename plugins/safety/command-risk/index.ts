import { definePlugin, Home } from 'svc/sdk'
import { HardLimits, ShellCommandAnalysis } from 'svc/sdk/shell'
import { ShellSessions } from './sessions.ts'

const FAILED = 'could not be checked against what is never allowed, because the check itself failed'

export default definePlugin({
  setup(ctx) {
    const sessions = new ShellSessions()
    const homes = () => {
      const home = ctx.find(Home)
      return home ? [home.root, home.dir] : []
    }
    ctx.provide(ShellCommandAnalysis, () => ({
      command: async (command, setting) => {
        const { assessCommand } = await import('./assess.ts')
        return assessCommand(
          command,
          { ...setting, homes: [...new Set([...homes(), ...(setting.homes ?? [])])] },
          sessions,
        )
      },
      write: async (path, cwd) => (await import('./assess.ts')).assessWrite(path, cwd),
      remember: (sessionId, risk, cwd) => sessions.remember(sessionId, risk, cwd),
      wrote: (sessionId, path) => sessions.wrote(sessionId, path),
      forget: (sessionId) => sessions.forget(sessionId),
    }))
    ctx.provide(HardLimits, () => ({
      // A check that cannot even be loaded refuses.
      check: (acts) =>
        import('./acts.ts').then(
          ({ checkActs }) => checkActs(acts, sessions),
          () => FAILED,
        ),
    }))
  },
})
