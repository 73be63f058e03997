/** The mood of a session, everywhere on the full screen. */
import { definePlugin, SlashCommands } from 'svc/sdk'
import { KeyBindings, StatusItems, TerminalUi, type TuiContext, Widgets } from 'svc/sdk/terminal'
import { addLooks } from './looks.ts'
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
    addLooks(ctx)
  },
})
