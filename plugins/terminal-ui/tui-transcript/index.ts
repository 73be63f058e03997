/** Wires the service `Transcripts`. */
import { definePlugin, Transcripts } from 'svc/sdk'
import { Shown } from './shown.ts'

export default definePlugin({
  setup(ctx) {
    // Transcripts that are open work with what outlives this generation.
    const make = (lasting: typeof ctx): Transcripts => ({ open: (options) => new Shown(lasting, options) })
    const transcripts = ctx.keep('transcripts', make)
    ctx.provide(Transcripts, () => transcripts)
  },
})
