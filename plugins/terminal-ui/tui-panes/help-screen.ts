/** `help`: slash commands by category, keys and screens. */
import { createTranslator, type PluginContext, type Translate } from 'svc/sdk'
import { Commands, Language } from 'svc/sdk/host'
import {
  groupByCategory,
  KeyBindings,
  Overlays,
  type OverlayView,
  parseKeyName,
  type StyledLine,
  TextLayout,
  type TuiContext,
} from 'svc/sdk/terminal'
import { List, type Room } from './list.ts'
import { listScreen } from './list-screen.ts'
import { matches, toPlainLine } from './text.ts'

/** The column of names, of all there is. */
const NAME_SHARE = 0.35
const WIDEST_NAME = 28
/** Below it the row has no room for what may follow the name; the details of the selected row have it. */
const NARROW = 60

interface Topic {
  readonly id: string
  readonly group: string
  readonly name: string
  /** What may follow the name, or other names. */
  readonly more: string
  readonly text: string
  readonly kind: 'command' | 'key' | 'screen'
}

export function helpScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const layout = ctx.use(TextLayout)
  const topics = [...commandTopics(ctx, ui), ...keyTopics(ctx), ...screenTopics(ctx)]
  const list = new List<Topic>(
    layout,
    {
      title: t('Help'),
      items: (filter) =>
        topics.filter(({ name, more, text, group }) =>
          matches(`${name} ${more} ${text} ${group}`.toLowerCase(), filter.trim()),
        ),
      id: ({ id }) => id,
      group: ({ group }) => group,
      row: (topic, width) => ({ left: topicLine(layout, topic, width) }),
      details: (topic, room) => (topic ? topicDetails(layout, topic, room) : []),
      empty: () => t('Nothing found'),
    },
    'filter',
  )
  return listScreen<Topic>({
    list,
    keys: () => t('Enter use · type to filter · Esc close'),
    key(name, topic) {
      if (name !== 'enter' || !topic) return 'ignored'
      if (topic.kind === 'key') return 'taken'
      if (topic.kind === 'command') ui.insert(`${topic.name} `)
      // This screen is closed first.
      else queueMicrotask(() => ui.show(topic.name))
      return 'close'
    },
  })
}

function commandTopics(ctx: PluginContext<undefined>, ui: TuiContext): readonly Topic[] {
  const onSurface = ctx.use(Commands).on(ui.conversation.front.commands)
  const groups = groupByCategory(onSurface.toSorted((one, two) => (one.name < two.name ? -1 : 1)))
  const commands = [...groups].flatMap(([category, group]) => group.map((command) => ({ ...command, category })))
  return commands.map(({ name, aliases = [], argsHint = '', category, description }) => ({
    id: `/${name}`,
    group: lookedUp(ctx, category),
    name: clean(ctx, `/${name}`),
    more: clean(ctx, [argsHint, ...aliases.map((alias) => `/${alias}`)].filter((part) => part !== '').join(' ')),
    text: lookedUp(ctx, description),
    kind: 'command',
  }))
}

/** Those of the interface itself, then those of plugins. */
function keyTopics(ctx: PluginContext<undefined>): readonly Topic[] {
  const t = createTranslator(ctx)
  const bound = ctx.all(KeyBindings).all()
  const own = interfaceKeys(t).filter(([key]) => !bound.some((binding) => parseKeyName(binding.key) === key))
  const others = bound.map(({ key, description }) => {
    return [parseKeyName(key) ?? key, lookedUp(ctx, description), ctx.all(KeyBindings).owner(key) ?? ''] as const
  })
  return [...own.map(([key, text]) => [key, text, ''] as const), ...others].map(([key, text, owner]) => {
    const names = key.split(' ').map(keyName).join(' ')
    // Whose key it is: one of a plugin may have taken the place of one of the screen.
    const more = owner === '' || owner === ctx.name ? '' : `(${owner})`
    return { id: `key ${key}`, group: t('Keys'), name: clean(ctx, names), more: clean(ctx, more), text, kind: 'key' }
  })
}

function interfaceKeys(t: Translate): readonly (readonly [key: string, text: string])[] {
  return [
    ['enter', t('Send')],
    ['M-enter C-j', t('New line')],
    ['tab', t('Complete a command, a file, a name')],
    ['up down', t('Earlier and later messages')],
    ['C-r', t('Search earlier messages')],
    ['escape', t('Stop the turn')],
    ['C-c', t('Clear input, stop the turn, quit')],
    ['C-p', t('Command palette: search commands and screens')],
    ['f1', t('Help')],
    ['C-g', t('Write in your editor')],
    ['C-v', t('Attach a picture')],
    ['C-t', t('Fold and unfold tool calls')],
    ['C-o', t('Show and hide reasoning')],
    ['M-up M-down', t('Select a part of the conversation')],
    ['pageup pagedown', t('Scroll')],
    ['C-l', t('Redraw the screen')],
    ['C-z', t('Suspend')],
    ['C-q', t('Leave')],
  ]
}

/** As it stands on keyboards: `Ctrl-X`, `Page Up`. */
function keyName(key: string): string {
  const [, modifiers = '', name = ''] = /^((?:[CMS]-)*)(.+)$/.exec(key) ?? []
  const words = name.replace(/^page/, 'page ').replace(/(^| )./g, (letter) => letter.toUpperCase())
  return modifiers.replace('C-', 'Ctrl-').replace('M-', 'Alt-').replace('S-', 'Shift-') + words
}

function screenTopics(ctx: PluginContext<undefined>): readonly Topic[] {
  const t = createTranslator(ctx)
  return ctx
    .all(Overlays)
    .all()
    .map(({ name, title }) => ({
      id: `screen ${name}`,
      group: t('Screens'),
      name,
      more: '',
      text: lookedUp(ctx, title),
      kind: 'screen',
    }))
}

function topicLine(layout: TextLayout, { name, more, text }: Topic, width: number): StyledLine {
  const column = Math.max(8, Math.min(WIDEST_NAME, Math.floor(width * NAME_SHARE)))
  const head: StyledLine = [
    { text: name, role: 'accent' },
    ...(more === '' || width < NARROW ? [] : [{ text: ` ${more}`, role: 'dim' } as const]),
  ]
  return [...layout.pad(head, column), { text: ' ' }, { text }]
}

function topicDetails(layout: TextLayout, { name, more, text }: Topic, { width }: Room): readonly StyledLine[] {
  const head: StyledLine = [{ text: `${name} ${more}`.trim(), role: 'accent' }, { text: `  ${text}` }]
  return layout.wrap(head, width)
}

function lookedUp(ctx: PluginContext<undefined>, english: string): string {
  return clean(ctx, ctx.find(Language)?.text(english) ?? english)
}

function clean(ctx: PluginContext<undefined>, text: string): string {
  return toPlainLine(ctx.use(TextLayout), text)
}
