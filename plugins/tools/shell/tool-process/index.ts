/** Wires the tool `process` and the service `Processes`. */
import { Clock, definePlugin, Home, Processes, ProcessNoticed, Random, Secrets, Tools } from 'svc/sdk'
import type { Registry } from './registry.ts'
import { lazyProcesses } from './service.ts'
import { addressed, startedList } from './started.ts'
import { type ProcessHost, processTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    let opened: Promise<Registry> | undefined
    const host: ProcessHost = {
      clock: () => ctx.use(Clock),
      mask: (text) => ctx.use(Secrets).mask(text),
      registry: () => {
        opened ??= open()
        return opened
      },
    }
    async function open(): Promise<Registry> {
      const { Registry } = await import('./registry.ts')
      return new Registry({
        clock: host.clock(),
        random: ctx.use(Random),
        file: ctx.use(Home).path('processes.json'),
        mask: host.mask,
        notify: (notice) => void ctx.call(ProcessNoticed, addressed(ctx, notice)),
        warn: (text) => ctx.log.warn(text),
        started: startedList(ctx),
      })
    }
    ctx.provide(Processes, () => lazyProcesses(host.registry))
    ctx.add(Tools, processTool(host))
    ctx.defer(async () => (await opened)?.close())
  },
})
