/** How things look: a theme, entries and messages of the conversation, and words at the prompt. */
import type { PluginContext } from 'svc/sdk'
import { ComposerMarks, EntryRenderers, MessageRenderers, Themes } from 'svc/sdk/terminal'

export function addLooks(ctx: PluginContext<undefined>): void {
  ctx.add(Themes, {
    name: 'lantern',
    description: 'Warm light on a dark page',
    colors: { title: { color: '#ffb454', bold: true }, prompt: { color: '#ffb454' }, border: { color: '#5c4326' } },
    branding: { welcome: 'The lantern is lit.' },
  })

  // What was stored may be of another version of this plugin: the text is always there, the data is checked.
  ctx.add(EntryRenderers, {
    kind: 'screen-plugin:mood',
    lines({ text, data }) {
      const { mood } = (data ?? {}) as { readonly mood?: unknown }
      return [
        [
          { text: '♥ ', color: '#ff5f87' },
          { text: typeof mood === 'string' ? mood : text, italic: true },
        ],
      ]
    },
  })
  ctx.add(MessageRenderers, {
    name: 'screen-plugin',
    kinds: ['user'],
    // Other messages stay as they are.
    lines: ({ text }) =>
      text === 'thanks'
        ? [
            [
              { text: 'thanks ', role: 'user' },
              { text: '♥', color: '#ff5f87' },
            ],
          ]
        : undefined,
  })
  ctx.add(ComposerMarks, {
    name: 'screen-plugin',
    marks: (text) =>
      [...text.matchAll(/\bTODO\b/g)].map(({ index }) => ({
        from: index,
        to: index + 4,
        role: 'warning',
        bold: true,
      })),
  })
}
