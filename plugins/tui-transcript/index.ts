/** Wires the service `Transcripts`. */
import { definePlugin, Transcripts } from 'svc/sdk'
import { Shown } from './shown.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(Transcripts, () => ({ open: (options) => new Shown(ctx, options) }))
  },
})
