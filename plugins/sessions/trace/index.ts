import { join } from 'node:path'
import { CliCommands, Clock, definePlugin, Secrets, Sessions } from 'svc/sdk'
import { Traces } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { createWhyCommand } from './cli.ts'
import { TraceStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const mask = (text: string) => ctx.use(Secrets).mask(text)
    const store = new TraceStore({
      storage: () => ctx.use(Storage),
      clock: () => ctx.use(Clock),
      mask,
      log: ctx.log,
      file: join(ctx.dataDir, 'traces.db'),
    })
    ctx.provide(Traces, () => ({
      note: (trace, stage, text, also) => store.note(trace, stage, text, also),
      of(id) {
        const [trace] = store.find(id)
        const stages = trace === undefined ? [] : store.stages(trace)
        const isNamed = trace === id || stages.some(({ ids }) => ids.includes(id))
        if (trace === undefined || !isNamed) return undefined
        return { trace, stages: stages.map(({ at, stage, text }) => ({ at, stage, text })) }
      },
    }))
    ctx.add(CliCommands, createWhyCommand(store, { sessions: () => ctx.use(Sessions), mask }))
    ctx.defer(() => store.close())
  },
})
