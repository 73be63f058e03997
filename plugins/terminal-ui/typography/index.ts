/** Wires the service `TextLayout`. */
import { definePlugin, TextLayout } from 'svc/sdk'
import { textLayout } from './layout.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(TextLayout, textLayout)
  },
})
