/** The service that edits YAML texts. The YAML library is loaded when the first text comes. */
import { definePlugin } from 'svc/sdk'
import { YamlEditor } from 'svc/sdk/host'

export default definePlugin({
  setup(ctx) {
    ctx.provide(YamlEditor, () => ({
      parse: async (text) => (await import('./parse.ts')).parseText(text),
      edit: async (text, changes) => (await import('./edit.ts')).editText(text, changes),
      merge: async (base, ours, theirs) => (await import('./merge.ts')).mergeTexts(base, ours, theirs),
    }))
  },
})
