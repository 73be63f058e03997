/** Slash commands of the conversation itself. */
import {
  Agent,
  type CommandSurface,
  type Conversation,
  createTranslator,
  type PluginContext,
  Sessions,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { checkConversationChange, isConversationSummary, StopRequested } from 'svc/sdk/sessions'
import { groupByCategory } from 'svc/sdk/terminal'

export function slashCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  return [...talkCommands(ctx, t), ...messageCommands(ctx, t)]
}

function talkCommands(ctx: PluginContext<undefined>, t: Translate): SlashCommand[] {
  return [
    {
      name: 'help',
      aliases: ['commands'],
      description: 'Show the commands',
      category: 'Info',
      argsHint: '[words]',
      isImmediate: true,
      run: async (words, at) => help(ctx.use(Commands), at.surface, words, t),
    },
    {
      name: 'stop',
      description: 'Stop the current answer',
      category: 'Session',
      isImmediate: true,
      run: async (_args, { conversation }) => {
        const others = await ctx.call(StopRequested, [], { conversation })
        return stop(conversation, t, others)
      },
    },
    {
      name: 'quit',
      aliases: ['exit'],
      description: 'Leave',
      category: 'Session',
      surfaces: ['cli'],
      async run(_args, { conversation }) {
        const { sessionId } = conversation
        await checkConversationChange(ctx, { reason: 'close', sessionId, conversation })
        await conversation.close()
        return undefined
      },
    },
  ]
}

/** In a chat, which does not show the queue, all of it is stopped, and that is reported. */
function stop(conversation: Conversation, t: Translate, others: readonly string[]): string | undefined {
  const { front } = conversation
  const also = others.length > 0 ? t('Stopped: {what}.', { what: others.join(', ') }) : undefined
  if (!front.discard) return conversation.stop() ? also : (also ?? t('Nothing is running.'))
  const waited = front.discard()
  for (const { id } of conversation.queue) conversation.unqueue(id)
  const any = conversation.stop() || waited
  return also ?? (any ? t('Stopped.') : t('Nothing is running.'))
}

function messageCommands(ctx: PluginContext<undefined>, t: Translate): SlashCommand[] {
  return [
    {
      name: 'queue',
      aliases: ['q'],
      description: 'Send a message after the current answer',
      category: 'Session',
      argsHint: '<message>',
      async run(text, { conversation, by }) {
        if (!text) return formatQueue(conversation.queue, t)
        conversation.send(text, { whenBusy: 'queue', source: 'person', ...(by && { by }) })
        return undefined
      },
    },
    {
      name: 'steer',
      description: 'Send the agent a hint while it works',
      category: 'Session',
      argsHint: '<message>',
      async run(text, { conversation, by }) {
        if (!text) return t('Enter a message: /steer <message>.')
        const { busy, sessionId } = conversation
        if (busy && ctx.use(Agent).steer(sessionId, text, { ...(by && { sender: by }) })) return undefined
        conversation.send(text, { whenBusy: 'queue', source: 'person', ...(by && { by }) })
        return undefined
      },
    },
    {
      name: 'retry',
      description: 'Ask for another answer to your last message',
      category: 'Session',
      needsIdle: true,
      async run(_args, { conversation }) {
        const session = ctx.use(Sessions).open(conversation.sessionId)
        const messages = session.messages()
        const last = messages.findLastIndex((message) => message.role === 'user' && !isConversationSummary(message))
        if (last < 0) return t('There is no message to try again.')
        if (last + 1 < messages.length) {
          await checkConversationChange(ctx, { reason: 'rewind', sessionId: session.id, conversation })
          session.rewind(last + 1)
        }
        conversation.touched()
        conversation.goOn()
        return undefined
      },
    },
  ]
}

function formatQueue(queue: readonly { readonly text: string }[], t: Translate): string {
  if (queue.length === 0) return t('Nothing waits.')
  return queue.map(({ text }, at) => `${at + 1}. ${text.replace(/\s+/g, ' ').slice(0, 200)}`).join('\n')
}

/** All commands by category, or those in which the words occur. */
function help(commands: Commands, surface: CommandSurface, words: string, t: Translate): string {
  const wanted = words.toLowerCase().replace(/^\//, '')
  const found = commands.on(surface).filter((command) => helpLine(command, t).toLowerCase().includes(wanted))
  if (found.length === 0) return t('No command has "{words}" in it. /help lists all of them.', { words })
  const sorted = [...found].sort((one, two) => (one.name < two.name ? -1 : 1))
  return [...groupByCategory(sorted)]
    .map(([category, list]) => `**${t(category)}**\n\n${list.map((command) => helpLine(command, t)).join('\n')}`)
    .join('\n\n')
}

function helpLine({ name, argsHint, aliases = [], description }: SlashCommand, t: Translate): string {
  const typed = `/${name}${argsHint ? ` ${argsHint}` : ''}`
  const others = aliases.length > 0 ? ` (${aliases.map((alias) => `/${alias}`).join(', ')})` : ''
  return `- \`${typed}\` ${t(description)}${others}`
}
