/** Wires the service `MessageText`. */
import { definePlugin, MessageText, SvcError } from 'svc/sdk'
import type { messageText } from './message-text.ts'

export default definePlugin({
  setup(ctx) {
    let service: typeof messageText | undefined
    ctx.provide(MessageText, () => {
      if (service) return service
      throw new SvcError('MARKUP_NOT_STARTED', 'The plugin markup has not started; use its service after that.')
    })
    // The parser is of no use to whoever only looks at the plugin, and the service has no promises to wait for it.
    ctx.onStart(async () => {
      service = (await import('./message-text.ts')).messageText
    })
  },
})
