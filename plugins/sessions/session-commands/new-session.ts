/** Commands that begin another conversation: a new one, or a branch of this one. */
import { type CommandContext, createTranslator, type PluginContext, Sessions, type SlashCommand } from 'svc/sdk'

export function beginCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  const begin = async (title: string, { conversation, cwd }: CommandContext) => {
    const { surface } = conversation.front
    const create = () => ctx.use(Sessions).create({ surface, cwd, ...(title && { title }) }).id
    await conversation.switchTo(create, 'new')
  }
  return [
    {
      name: 'new',
      aliases: ['reset'],
      description: 'Start a new conversation',
      category: 'Session',
      argsHint: '[title]',
      destructive: true,
      isImmediate: true,
      async run(title, at) {
        await begin(title, at)
        return title ? t('New conversation: {title}', { title }) : t('New conversation.')
      },
    },
    {
      name: 'clear',
      description: 'Clear the screen and start a new conversation',
      category: 'Session',
      surfaces: ['cli'],
      destructive: true,
      async run(_args, at) {
        await begin('', at)
        return undefined
      },
    },
    {
      name: 'branch',
      aliases: ['fork'],
      description: 'Continue in a copy of this conversation',
      category: 'Session',
      argsHint: '[title]',
      needsIdle: true,
      async run(title, { conversation }) {
        const sessions = ctx.use(Sessions)
        const from = conversation.sessionId
        const createBranch = () => {
          const { id } = sessions.branch(from)
          if (title) sessions.rename(id, title)
          return id
        }
        await conversation.switchTo(createBranch, 'branch')
        return t('You are in a branch now. Back: /resume {id}', { id: from })
      },
    },
  ]
}
