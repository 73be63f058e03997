/** Wires the tool `terminal`. */
import { Clock, definePlugin, Random, Secrets, Tools } from 'svc/sdk'
import { type Config, config } from './config.ts'
import type { Shells } from './shells.ts'
import { terminalTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let shells: Promise<Shells> | undefined
    const host = {
      config: ctx.config,
      clock: () => ctx.use(Clock),
      mask: (text: string) => ctx.use(Secrets).mask(text),
      shells: () => {
        shells ??= openShells()
        return shells
      },
    }
    async function openShells(): Promise<Shells> {
      const [{ Shells }, { childEnvironment }] = await Promise.all([import('./shells.ts'), import('./environment.ts')])
      const environment = () => childEnvironment(process.env, ctx.config.env_passthrough, host.mask)
      return new Shells({
        clock: host.clock(),
        persistent: ctx.config.persistent_shell,
        environment,
        mark: () => ctx.use(Random).hex(12),
      })
    }
    ctx.add(Tools, terminalTool(host))
    ctx.defer(async () => (await shells)?.close())
  },
})
