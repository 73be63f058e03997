/** A status item, a widget, a key, an overlay and a view of a tool. */
import { definePlugin } from 'svc/sdk'
import { KeyBindings, Overlays, StatusItems, ToolRenderers, Widgets } from 'svc/sdk/terminal'

export default definePlugin({
  setup(ctx) {
    ctx.add(StatusItems, { name: 'mood', line: () => 'all is well' })
    ctx.add(Widgets, { name: 'banner', lines: () => [[{ text: 'A banner' }]] })
    ctx.add(KeyBindings, { key: 'ctrl+alt+m', description: 'Show the mood', run: (ui) => ui.toast('all is well') })
    ctx.add(Overlays, {
      name: 'mood',
      title: 'Mood',
      open: () => ({ keys: 'Esc close', lines: () => [[{ text: 'all is well' }]], input: () => 'ignored' }),
    })
    ctx.add(ToolRenderers, { name: 'double-view', tools: ['double'], title: () => 'double a word' })
  },
})
