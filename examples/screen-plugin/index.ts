/** The mood of a session, everywhere on the full screen. */
import { definePlugin, SlashCommands } from 'svc/sdk'
import {
  ComposerMarks,
  EntryRenderers,
  KeyBindings,
  MessageRenderers,
  StatusItems,
  TerminalUi,
  Themes,
  type TuiContext,
  Widgets,
} from 'svc/sdk/terminal'
import { moodView } from './mood-view.ts'

export default definePlugin({
  setup(ctx) {
    const moods = new Map<string, string>()
    const listeners = new Set<() => void>()
    const onChange = (changed: () => void) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    }

    /** Asks in a window, remembers the answer, and notes it in the conversation. */
    async function ask(ui: TuiContext, wanted = ''): Promise<string | undefined> {
      const place = { anchor: 'center', width: 40, rows: 8 } as const
      const mood = await ui.open<string>((done) => moodView(ui, wanted, done), place)
      if (mood === undefined) return undefined
      moods.set(ui.conversation.sessionId, mood)
      ui.addEntry({ kind: 'screen-plugin:mood', text: `Mood: ${mood}`, data: { mood } })
      for (const changed of listeners) changed()
      return mood
    }

    ctx.add(SlashCommands, {
      name: 'mood',
      description: 'Say in which mood you are',
      category: 'Session',
      argsHint: '[word]',
      surfaces: ['cli'],
      async run(args, { conversation }) {
        // Undefined in a pipe and in the line mode.
        const ui = ctx.find(TerminalUi)?.of(conversation.sessionId)
        if (!ui) return 'This command needs the full screen.'
        const mood = await ask(ui, args)
        return mood === undefined ? 'The mood is as it was.' : undefined
      },
    })
    ctx.add(KeyBindings, {
      key: 'M-o',
      description: 'Say in which mood you are',
      run: async (ui) => void (await ask(ui)),
    })

    ctx.add(Widgets, {
      name: 'mood',
      place: 'header',
      onChange,
      lines(conversation) {
        const mood = moods.get(conversation.sessionId)
        return mood === undefined ? [] : [[{ text: `The mood is ${mood}.`, role: 'dim' }]]
      },
    })
    ctx.add(StatusItems, { name: 'mood', onChange, line: ({ sessionId }) => moods.get(sessionId) })

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
  },
})
