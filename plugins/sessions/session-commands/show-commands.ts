/** Commands that show the conversation, or name it. */
import {
  createTranslator,
  type Message,
  Models,
  type PluginContext,
  type Session,
  type SessionSummary,
  Sessions,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'

const MAX_SHOWN = 10
const MAX_LENGTH = 300

export function lookCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  return [
    {
      name: 'title',
      description: 'Show or change the title of this conversation',
      category: 'Session',
      argsHint: '[title]',
      async run(title, { conversation }) {
        const sessions = ctx.use(Sessions)
        if (!title) return readSummary(ctx, conversation.sessionId).title ?? t('It has no title yet.')
        sessions.rename(conversation.sessionId, title)
        conversation.touched()
        return t('It is called "{title}" now.', { title })
      },
    },
    {
      name: 'history',
      description: 'Show the last messages',
      category: 'Session',
      argsHint: '[count]',
      surfaces: ['cli'],
      async run(args, { conversation }) {
        const messages = ctx.use(Sessions).open(conversation.sessionId).messages()
        const spoken = messages.filter(({ role, text }) => (role === 'user' || role === 'assistant') && text)
        const count = /^\d{1,4}$/.test(args) ? Number(args) : MAX_SHOWN
        return spoken.slice(-count).map(formatMessage).join('\n\n') || t('No messages yet.')
      },
    },
    {
      name: 'status',
      description: 'Show the conversation and the model',
      category: 'Info',
      isImmediate: true,
      run: async (_args, { conversation }) => {
        const { model, provider, reasoning } = conversation.settings
        const choice = await ctx.use(Models).choose({ ...(provider && { provider }), ...(model && { model }) })
        const session = ctx.use(Sessions).open(conversation.sessionId)
        const lines = [
          `- ${t('Conversation')}: ${readSummary(ctx, session.id).title ?? session.id} (${session.id})`,
          `- ${t('Folder')}: ${session.cwd}`,
          `- ${t('Model')}: ${choice.model}, ${choice.provider.label}${reasoning ? `, ${reasoning}` : ''}`,
          `- ${t('Messages')}: ${session.messages().length}${describeHidden(session, t)}`,
          ...ctx
            .use(Plugins)
            .guards()
            .filter(({ state }) => state !== 'running')
            .map(({ plugin, state, reason }) => `- ${t('Not guarded')}: ${plugin} (${state}): ${reason}`),
          ...(conversation.queue.length > 0 ? [`- ${t('Waiting')}: ${conversation.queue.length}`] : []),
        ]
        return lines.join('\n')
      },
    },
  ]
}

function describeHidden(session: Session, t: Translate): string {
  const recorded = session.history().length
  return recorded === session.messages().length ? '' : ` ${t('({recorded} recorded)', { recorded })}`
}

function readSummary(ctx: PluginContext<undefined>, id: string): SessionSummary {
  return ctx.use(Sessions).summary(id)
}

function formatMessage({ role, text }: Message): string {
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  return role === 'user' ? `> ${short.replace(/\n/g, '\n> ')}` : short
}
