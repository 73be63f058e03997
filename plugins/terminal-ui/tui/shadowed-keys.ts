/** Keys of the full screen that a plugin took: allowed, and reported under the name of the plugin. */
import type { Dispose, PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { KeyBindings, parseKeyName } from 'svc/sdk/terminal'

/** What keys do that no plugin contributed, in English. */
export const BUILT_IN_KEYS: Readonly<Record<string, string>> = {
  'C-l': 'redraws the screen',
  'C-g': 'opens your editor',
  'M-g': 'opens your editor',
  'C-o': 'shows and hides reasoning',
  'C-p': 'opens the palette',
  'M-x': 'opens the palette',
  f1: 'opens the help',
  'C-t': 'folds and unfolds tool calls',
  'M-up': 'selects a block',
  'M-down': 'selects a block',
  pageup: 'scrolls',
  pagedown: 'scrolls',
  'S-up': 'scrolls',
  'S-down': 'scrolls',
  'C-f': 'looks for words',
  home: 'goes to the first line',
  end: 'goes to the last line',
  up: 'goes to earlier messages',
  down: 'goes to later messages',
  tab: 'completes',
  backspace: 'removes a character',
  'C-r': 'searches earlier messages',
  'C-v': 'attaches a picture',
  'C-j': 'begins a line',
  'M-enter': 'begins a line',
  'S-enter': 'begins a line',
}

/** Reports what is taken now and later, once for each plugin and key. */
export function followShadows(ctx: PluginContext<undefined>): Dispose {
  const all = ctx.all(KeyBindings)
  const reported = new Set<string>()
  const look = () => {
    for (const { key, description } of all.all()) {
      const name = parseKeyName(key) ?? key
      const does = BUILT_IN_KEYS[name]
      const plugin = all.owner(key)
      if (does === undefined || plugin === undefined || reported.has(`${plugin} ${name}`)) continue
      reported.add(`${plugin} ${name}`)
      const message = `its key ${name} (${description}) takes the place of the one that ${does}`
      ctx.use(Plugins).report({ plugin, stage: 'screen', code: 'KEY_SHADOWED', message })
    }
  }
  look()
  return all.onChange(look)
}
