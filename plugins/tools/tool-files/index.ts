/** Wires the file tools and the service that keeps the rules about files. */
import { BeforeModelRequest, Clock, definePlugin, Home, Random, Secrets, Tools } from 'svc/sdk'
import { GuardedFiles, ReadableFolders } from 'svc/sdk/safety'
import { ExecutionEnvironments, findEnvironment } from 'svc/sdk/shell'
import { PathLocks } from './commit.ts'
import { ReadHistory } from './read-history.ts'
import { SecretFiles } from './secret-files.ts'
import { type FileDeps, fileTools } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const host: FileDeps = {
      home: () => ctx.use(Home),
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      mask: (text) => ctx.use(Secrets).mask(text),
      safeRoot: () => ctx.use(Secrets).get('SVC_WRITE_SAFE_ROOT'),
      ripgrep: async () => (await import('./ripgrep.ts')).findRipgrep(),
      readable: () =>
        ctx
          .all(ReadableFolders)
          .all()
          .map(({ path }) => path),
      environment: (session) => findEnvironment(ctx, session),
      isIsolated: () => ctx.find(ExecutionEnvironments)?.isIsolated() ?? false,
      secrets: new SecretFiles(() => ctx.use(Clock)),
      ledger: new ReadHistory(),
      locks: new PathLocks(),
    }
    const guard = async () => (await import('./guarded-files.ts')).fileGuard(host)
    ctx.provide(GuardedFiles, () => ({
      locate: async (paths, turn) => (await guard()).locate(paths, turn),
      readable: async (path, cwd, session) => (await guard()).readable(path, cwd, session),
      names: async (path, cwd, options) => (await guard()).names(path, cwd, options),
      read: async (path, cwd, options) => (await guard()).read(path, cwd, options),
      writable: async (path, cwd, session) => (await guard()).writable(path, cwd, session),
      edit: async (paths, turn, plan) => (await guard()).edit(paths, turn, plan),
    }))
    for (const tool of fileTools(host)) ctx.add(Tools, tool)
    // Late, so that what a compression took out is seen to be gone.
    ctx.on(BeforeModelRequest, (messages, turn) => host.ledger.look(turn.sessionId, messages), { order: 1050 })
  },
})
