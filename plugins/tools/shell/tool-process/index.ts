/** Wires the tool `process` and the service `BackgroundProcesses`. */
import { Clock, definePlugin, Home, Random, Secrets, Tools } from 'svc/sdk'
import { ProcessNotified, SubagentEnded } from 'svc/sdk/hooks'
import { BackgroundProcesses } from 'svc/sdk/shell'
import type { Registry } from './registry.ts'
import { lazyProcesses } from './service.ts'
import { addressNotice, startedList } from './session-processes.ts'
import { type ProcessDeps, processTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    let opened: Promise<Registry> | undefined
    const host: ProcessDeps = {
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
        notify: (notice) => void ctx.call(ProcessNotified, addressNotice(ctx, notice)),
        warn: (text) => ctx.log.warn(text),
        started: startedList(ctx),
      })
    }
    ctx.provide(BackgroundProcesses, () => lazyProcesses(host.registry))
    ctx.add(Tools, processTool(host))
    ctx.on(SubagentEnded, async ({ sessionId }) => {
      // Looked up first: most subagents have started none, and nothing is loaded for them.
      if (startedList(ctx).of(sessionId).length > 0) await (await host.registry()).endSession(sessionId)
    })
    ctx.defer(async () => (await opened)?.close())
  },
})
