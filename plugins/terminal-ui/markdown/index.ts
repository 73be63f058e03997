/** Wires the service `Markdown`. */
import { definePlugin, SvcError } from 'svc/sdk'
import { Markdown, TextLayout } from 'svc/sdk/terminal'
import type { createMarkdown } from './markdown.ts'

export default definePlugin({
  setup(ctx) {
    let create: typeof createMarkdown | undefined
    ctx.provide(Markdown, () => {
      if (create) return create(ctx.use(TextLayout))
      throw new SvcError('MARKDOWN_NOT_STARTED', 'The plugin markdown has not started; use its service after that.')
    })
    // Inspecting the plugin does not need the parsers, and the synchronous service cannot wait for an import.
    ctx.onStart(async () => {
      create = (await import('./markdown.ts')).createMarkdown
    })
  },
})
