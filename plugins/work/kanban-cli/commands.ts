/** `/kanban`: the commands of `svc kanban` that need no terminal, in a conversation. */
import type { CliCommand, SlashCommand } from 'svc/sdk'
import { runInConversation } from 'svc/sdk/kit/commands'
import type { MessageOrigin } from 'svc/sdk/platform'

/** Those that end by themselves, read no file of this machine and destroy nothing. */
const ALLOWED = [
  ...['list', 'show', 'context', 'runs', 'stats', 'create', 'edit', 'assign', 'link', 'unlink', 'comment'],
  ...['complete', 'block', 'unblock', 'schedule', 'promote', 'reclaim', 'archive', 'boards', 'notify', 'doctor'],
]

export function kanbanSlashCommand(command: CliCommand, isTold: () => boolean): SlashCommand {
  const isHeard = (name: string) => name === 'notify' || (name === 'create' && isTold())
  const names = (command.subcommands ?? []).map(({ name }) => name)
  return {
    name: 'kanban',
    description: 'Show and change the tasks of the board',
    category: 'Tools & Skills',
    argsHint: '[list|show|create|...]',
    subcommands: names.filter((name) => ALLOWED.includes(name)),
    isImmediate: true,
    run: (args, at) =>
      runInConversation(command, args, at, {
        ...{ only: ALLOWED, initial: 'list' },
        prepare: (name, { args: words, options }) => ({
          args: words,
          // A chat may have itself told, and no other one.
          options: { ...(at.by && { by: at.by.userId }), ...options, ...(isHeard(name) && at.by && toChat(at.by)) },
        }),
      }),
  }
}

function toChat({ platform, chatId, threadId }: MessageOrigin) {
  return { platform, chat: chatId, thread: threadId ?? '' }
}
