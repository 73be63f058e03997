/** Wires the service `TextLayout`. */
import { definePlugin } from 'svc/sdk'
import { TextLayout } from 'svc/sdk/terminal'
import { textLayout } from './layout.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(TextLayout, textLayout)
  },
})
