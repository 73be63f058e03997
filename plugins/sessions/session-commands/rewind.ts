/** `/undo` takes messages back, `/redo` brings them back. */
import { createTranslator, type Message, type PluginContext, type Session, Sessions, type SlashCommand } from 'svc/sdk'
import { checkConversationChange, isConversationSummary } from 'svc/sdk/sessions'
import { type BackgroundProcess, BackgroundProcesses, StartedProcesses } from 'svc/sdk/shell'

const MAX_SHOWN = 200

export function rewindCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  const openSession = (id: string) => ctx.use(Sessions).open(id)
  return [
    {
      name: 'undo',
      description: 'Undo your last message and its answer',
      category: 'Session',
      argsHint: '[count]',
      destructive: true,
      needsIdle: true,
      async run(args, { conversation }) {
        if (args && !/^[1-9]\d{0,3}$/.test(args)) return t('Type how many of your messages: /undo 2')
        const session = openSession(conversation.sessionId)
        const from = findMessageStart(session.messages(), Number(args || 1))
        if (from === undefined) return t('Nothing to undo.')
        await checkConversationChange(ctx, { reason: 'rewind', sessionId: session.id, conversation })
        const processes = (await ctx.find(BackgroundProcesses)?.list(session.id)) ?? []
        const [first] = session.rewind(from)
        conversation.touched()
        const text = (first?.text ?? '').replace(/\s+/g, ' ').slice(0, MAX_SHOWN)
        const said = t('Taken back: {text}\n\n/redo brings it back. Files stay as they are; /rollback is for them.', {
          text,
        })
        const running = stillRunning(processes, session)
        if (running.length === 0) return said
        return `${said}\n\n${t('Processes that it started still run: {commands}', { commands: running.join(', ') })}`
      },
    },
    {
      name: 'redo',
      description: 'Redo the last /undo',
      category: 'Session',
      needsIdle: true,
      async run(_args, { conversation }) {
        const count = openSession(conversation.sessionId).unwind()
        if (count === 0) return t('Nothing to redo.')
        conversation.touched()
        return t('{count, plural, one {# message is} other {# messages are}} back.', { count })
      },
    },
  ]
}

/** Commands of processes that were started in what was taken back. */
function stillRunning(processes: readonly BackgroundProcess[], session: Session): string[] {
  const kept = session.state(StartedProcesses) ?? []
  return processes.flatMap(({ id, status, command }) =>
    status === 'running' && !kept.includes(id) ? [`\`${command.replace(/[`\p{Cc}]/gu, '')}\` (${id})`] : [],
  )
}

/** Where the message of the user begins that is the `count`th from the end; the first one when there are fewer. */
function findMessageStart(messages: readonly Message[], count: number): number | undefined {
  const isSaid = (message: Message) => message.role === 'user' && !isConversationSummary(message)
  const places = messages.flatMap((message, at) => (isSaid(message) ? [at] : []))
  return places.at(-Math.min(count, places.length))
}
