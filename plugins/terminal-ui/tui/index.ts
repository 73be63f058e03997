/** Wires the service `Tui` and its slash commands. */
import { createTranslator, definePlugin, Secrets, SlashCommands } from 'svc/sdk'
import { TerminalUi, Tui } from 'svc/sdk/terminal'
import { slashCommands } from './commands.ts'
import { createContext } from './context.ts'
import type { Front } from './front.ts'

export default definePlugin({
  setup(ctx) {
    // Open screens stay where they are, whatever is reloaded; they work with the context that outlives generations.
    const { fronts, lasting } = ctx.keep('screens', (lasting) => ({ lasting, fronts: new Set<Front>() }))
    const t = createTranslator(ctx)
    ctx.provide(Tui, () => ({
      missing({ interactive, terminal }) {
        if (!interactive || !terminal) return t('The full screen needs a terminal.')
        const isDumb = ctx.use(Secrets).get('TERM') === 'dumb'
        return isDumb ? t('This terminal (TERM=dumb) cannot show a full screen.') : undefined
      },
      run: async (io, options) => (await import('./run.ts')).run(lasting, io, options, fronts),
    }))
    ctx.provide(TerminalUi, () => ({
      of(sessionId, caller) {
        const front = [...fronts].find((each) => each.conversation.sessionId === sessionId)
        return front && createContext(front, caller?.plugin)
      },
    }))
    for (const command of slashCommands(ctx, fronts)) ctx.add(SlashCommands, command)
  },
})
