/** `/topic`: which conversation a topic of a private chat continues. Each topic has one of its own without it. */
import {
  type CommandContext,
  createTranslator,
  errorMessage,
  type PluginContext,
  Random,
  Sessions,
  type SlashCommand,
  SvcError,
  type Translate,
} from 'svc/sdk'
import { formatTarget } from 'svc/sdk/kit/text'
import { Gateway, type MessageOrigin } from 'svc/sdk/platform'
import { tell } from './commands.ts'
import type { Config } from './config.ts'
import { toOrigin } from './places.ts'

type Context = PluginContext<Config>

/** A person in a private chat. */
type At = CommandContext & { readonly by: MessageOrigin }

const SEARCHED = 500
const LISTED = 10

export function createTopicCommand(ctx: Context): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'topic',
    description: 'Show or choose the conversation that this topic continues',
    category: 'Session',
    argsHint: '[off|help|session-id]',
    subcommands: ['off', 'help'],
    surfaces: ['gateway'],
    async run(args, at) {
      const word = args.trim()
      if (word === 'help') return help(t)
      if (!at.by || (at.by.chatKind ?? 'dm') !== 'dm') return t('This is for topics of a private chat.')
      const here: At = { ...at, by: at.by }
      if (word === '') return describe(ctx, here, t)
      try {
        return word === 'off' ? leave(ctx, here, t) : await take(ctx, here, word, t)
      } catch (error) {
        if (error instanceof SvcError) return errorMessage(error)
        throw error
      }
    },
  }
}

function help(t: Translate): string {
  return [
    t('Each topic of a private chat has a conversation of its own. Create a topic in your app and write in it.'),
    `- \`/topic\`: ${t('the conversation of this topic, and others of this chat')}`,
    `- \`/topic <session-id>\`: ${t('continues a conversation of this chat here')}`,
    `- \`/topic off\`: ${t('continues the conversation of this topic in the chat itself')}`,
  ].join('\n')
}

function describe(ctx: Context, { by, conversation }: At, t: Translate): string {
  const own = ctx.use(Sessions).summary(conversation.sessionId)
  const name = { title: own.title ?? '…', id: `\`${own.id}\`` }
  const first =
    by.threadId === undefined
      ? t('This chat continues {title} ({id}).', name)
      : t('This topic continues {title} ({id}).', name)
  const others = ctx
    .use(Sessions)
    .list({ surface: conversation.front.surface, limit: SEARCHED })
    .filter(({ id }) => id !== conversation.sessionId && isOfChat(ctx, id, by))
    .slice(0, LISTED)
  const lines = others.map(({ id, title = '…' }) => `- \`${id}\` ${title}`)
  const more =
    lines.length === 0
      ? []
      : ['', t('Others of this chat, for {command}:', { command: '`/topic <session-id>`' }), ...lines]
  return [first, ...more].join('\n')
}

/** The one who writes in a private chat is the one who wrote in its other topics. */
function isOfChat(ctx: Context, session: string, by: MessageOrigin): boolean {
  const chat = ctx.use(Gateway).findChat(session, 'last')
  return chat !== undefined && chat.kind === 'dm' && chat.platform === by.platform && chat.chatId === by.chatId
}

async function take(
  ctx: Context,
  { by, conversation }: At,
  session: string,
  t: Translate,
): Promise<string | undefined> {
  if (!isOfChat(ctx, session, by))
    return t('No conversation of this chat has this id. One of another chat is continued by {command} there.', {
      command: '`/handoff`',
    })
  if (session === conversation.sessionId) return t('You are in it.')
  const shown = ctx.use(Gateway).findChat(session)
  if (shown && formatTarget(shown) !== formatTarget(by)) {
    const { title = '…' } = ctx.use(Sessions).summary(session)
    const said = t('{title} goes on here. Where it was, the next message begins a new conversation.', { title })
    return move(ctx, { session, to: by, by }, said)
  }
  await conversation.switchTo(session)
  const { title = '…' } = ctx.use(Sessions).summary(session)
  return t('{title} goes on here.', { title })
}

function leave(ctx: Context, { by, conversation }: At, t: Translate): string | undefined {
  const { threadId, ...chat } = toOrigin(by)
  if (threadId === undefined) return t('This is not a topic.')
  const said = t('This conversation goes on in the chat itself. The next message in this topic begins a new one.')
  return move(ctx, { session: conversation.sessionId, to: chat, by }, said)
}

/** The conversation in which the command was typed may be closed by the move: what is said goes to the chat. */
function move(
  ctx: Context,
  { session, to, by }: { readonly session: string; readonly to: MessageOrigin; readonly by: MessageOrigin },
  said: string,
): undefined {
  ctx.use(Gateway).moveSession(session, toOrigin(to))
  tell(ctx, toOrigin(by), `topic:${ctx.use(Random).hex(8)}`, said)
}
