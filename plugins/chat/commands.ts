/** Slash commands of the conversation itself. */
import { Commands, Models, type PluginContext, Sessions, type SlashCommand } from 'svc/sdk'

/** A conversation on a terminal of this process. */
export interface Talk {
  sessionId: string
  open: boolean
}

/** The conversations that are open now. */
export const talks: Set<Talk> = new Set()

/** Why a turn was stopped by hand. */
export const leave: DOMException = new DOMException('interrupted', 'AbortError')

export function slashCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const here = (sessionId: string | undefined) => [...talks].find((talk) => talk.sessionId === sessionId)
  return [
    {
      name: 'help',
      description: 'Show the commands',
      category: 'Help',
      run: async (_args, at) => ctx.use(Commands).help(at.surface),
    },
    {
      name: 'new',
      description: 'Begin a new conversation',
      category: 'Session',
      argsHint: '[title]',
      surfaces: ['cli'],
      async run(title, at) {
        const talk = here(at.sessionId)
        const session = ctx.use(Sessions).create({ surface: 'cli', cwd: at.cwd, ...(title ? { title } : {}) })
        if (talk) talk.sessionId = session.id
        return `New conversation${title ? `: ${title}` : ''}.`
      },
    },
    {
      name: 'quit',
      aliases: ['exit'],
      description: 'Leave',
      category: 'Session',
      surfaces: ['cli'],
      async run(_args, at) {
        const talk = here(at.sessionId)
        if (talk) talk.open = false
        return undefined
      },
    },
    {
      name: 'status',
      description: 'Show the session and the model',
      category: 'Info',
      surfaces: ['cli'],
      async run(_args, at) {
        const { provider, model, source } = await ctx.use(Models).choose()
        const count = at.sessionId ? ctx.use(Sessions).open(at.sessionId).messages().length : 0
        return `Session ${at.sessionId ?? 'none'}, ${count} messages\nModel ${model} at ${provider.label} (${source})`
      },
    },
  ]
}
