/** Wires the service `MessageFormatter`. */
import { definePlugin, SvcError } from 'svc/sdk'
import { MessageFormatter } from 'svc/sdk/platform'
import type { messageText } from './message-text.ts'

export default definePlugin({
  setup(ctx) {
    let service: typeof messageText | undefined
    ctx.provide(MessageFormatter, () => {
      if (service) return service
      throw new SvcError('MARKUP_NOT_STARTED', 'The plugin markup has not started; use its service after that.')
    })
    // Inspecting the plugin does not need the parser, and the synchronous service cannot wait for an import.
    ctx.onStart(async () => {
      service = (await import('./message-text.ts')).messageText
    })
  },
})
