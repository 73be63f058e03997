/** Wires the service `Markdown`. */
import { definePlugin, Markdown, SvcError, TextLayout } from 'svc/sdk'
import type { createMarkdown } from './markdown.ts'

export default definePlugin({
  setup(ctx) {
    let create: typeof createMarkdown | undefined
    ctx.provide(Markdown, () => {
      if (create) return create(ctx.use(TextLayout))
      throw new SvcError('MARKDOWN_NOT_STARTED', 'The plugin markdown has not started; use its service after that.')
    })
    // The parsers are of no use to whoever only looks at the plugin, and the service has no promises to wait for them.
    ctx.onStart(async () => {
      create = (await import('./markdown.ts')).createMarkdown
    })
  },
})
