/** `queue`: messages that wait for their turn. */
import { createTranslator, type PluginContext, type QueuedMessage } from 'svc/sdk'
import { type OverlayView, type StyledSpan, TextLayout, type TuiContext } from 'svc/sdk/terminal'
import { List } from './list.ts'
import { listScreen } from './list-screen.ts'
import { matches, toPlainLine } from './text.ts'

export function queueScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const { conversation } = ui
  let doomed: string | undefined
  let said: StyledSpan | undefined
  const list = queueList(ctx, ui)
  return listScreen<QueuedMessage>({
    list,
    keys: () => (list.selected ? t('Enter edit · d d remove · Esc close') : t('Esc close')),
    note: () => said && [said],
    // The queue advances without a key.
    looked: () => list.changed(),
    key(name, message) {
      const before = doomed
      doomed = undefined
      said = undefined
      if (name === 'escape') return before === undefined ? 'ignored' : 'taken'
      if (!message) return 'ignored'
      if (name === 'enter') return edit(message)
      return name === 'd' ? remove(message, before) : 'ignored'
    },
  })

  function remove({ id }: QueuedMessage, before: string | undefined): 'taken' {
    if (before === id) conversation.unqueue(id)
    else {
      doomed = id
      said = { text: t('Press d again to remove it.'), role: 'warning' }
    }
    return 'taken'
  }

  /** Back to where one types. What has pictures cannot go there, and is not to lose them. */
  function edit(message: QueuedMessage): 'taken' | 'close' {
    if (message.images?.length) {
      said = { text: t('A message with pictures cannot be edited.'), role: 'warning' }
      return 'taken'
    }
    const taken = conversation.unqueue(message.id)
    if (taken) ui.insert(taken.text)
    return 'close'
  }
}

function queueList(ctx: PluginContext<undefined>, { conversation }: TuiContext): List<QueuedMessage> {
  const t = createTranslator(ctx)
  const layout = ctx.use(TextLayout)
  return new List<QueuedMessage>(
    layout,
    {
      title: t('Queued messages'),
      items: (filter) => conversation.queue.filter(({ text }) => matches(text.toLowerCase(), filter.trim())),
      id: ({ id }) => id,
      row: ({ text, images = [] }) => ({
        left: [{ text: toPlainLine(layout, text) }],
        ...(images.length > 0 && {
          right: [
            { text: t('{count, plural, one {# picture} other {# pictures}}', { count: images.length }), role: 'dim' },
          ],
        }),
      }),
      details: (message, { width }) =>
        message ? layout.wrap([{ text: layout.clean(message.text.slice(0, 4000)) }], width) : [],
      detailRows: (rows) => Math.floor(rows / 3),
      empty: (filter) => (filter === '' ? t('Nothing is queued') : t('Nothing found')),
    },
    'list',
  )
}
