/** Wires the tool `terminal` and the backend `local`. */
import { Clock, definePlugin, Processes, Random, Secrets, Terminals, Tools } from 'svc/sdk'
import { backendName, findBackend, isPersistent, local } from './backends.ts'
import { type Config, config } from './config.ts'
import { type OpenTerminal, type TerminalHost, terminalTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let opened: Promise<OpenTerminal> | undefined
    const backends = ctx.all(Terminals)
    const name = backendName(ctx.config, ctx.use(Secrets))
    const persistent = isPersistent(name, ctx.config, ctx.use(Secrets))
    const host: TerminalHost = {
      config: ctx.config,
      persistent,
      clock: () => ctx.use(Clock),
      mask: (text) => ctx.use(Secrets).mask(text),
      isolated: () => backends.get(name)?.isolated(ctx.config) ?? false,
      processes: () => ctx.find(Processes),
      open: () => {
        opened ??= open()
        return opened
      },
    }
    async function open(): Promise<OpenTerminal> {
      const [{ Shells }, { Places }, { Guard }, { childEnvironment }] = await Promise.all([
        import('./shells.ts'),
        import('./places.ts'),
        import('./guard.ts'),
        import('./environment.ts'),
      ])
      const environment = () => childEnvironment(process.env, ctx.config.env_passthrough, host.mask)
      const backend = () => findBackend(backends, name)
      const places = new Places({ backend, environment, settings: ctx.config })
      const clock = host.clock()
      const run = ctx.use(Random).hex(12)
      const guard = new Guard({ clock, mark: run, path: environment()['PATH'] ?? '' })
      let marks = 0
      const mark = () => `${run}-${++marks}`
      const shells = new Shells({
        ...{ clock, persistent, mark },
        place: (sessionId, cwd) => places.open(sessionId, cwd),
        dropPlace: (sessionId) => places.drop(sessionId),
        onStart: () => guard.beginSoon(),
      })
      const close = async () => {
        await shells.close()
        await places.close()
        await guard.end()
      }
      return { shells, background: { places, guard, mark }, close }
    }
    ctx.add(Terminals, local)
    ctx.add(Tools, terminalTool(host))
    ctx.defer(async () => (await opened)?.close())
  },
})
