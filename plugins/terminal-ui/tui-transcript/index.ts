/** Wires the service `Transcripts`. */
import { definePlugin } from 'svc/sdk'
import { Transcripts } from 'svc/sdk/terminal'
import { TranscriptView } from './transcript-view.ts'

export default definePlugin({
  setup(ctx) {
    // Transcripts that are open work with what outlives this generation.
    const make = (lasting: typeof ctx): Transcripts => ({ open: (options) => new TranscriptView(lasting, options) })
    const transcripts = ctx.keep('transcripts', make)
    ctx.provide(Transcripts, () => transcripts)
  },
})
