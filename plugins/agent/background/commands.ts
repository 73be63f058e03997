/** `/background`: begins a task, lists them, stops one. */
import {
  Clock,
  createTranslator,
  errorMessage,
  logFault,
  type PluginContext,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { Outbox } from 'svc/sdk/platform'
import { SelectTaskDelivery } from 'svc/sdk/sessions'
import { formatDuration } from 'svc/sdk/terminal'
import type { BackgroundRun, BackgroundRuns } from './runs.ts'

const MAX_SHOWN = 100

export function backgroundCommand(ctx: PluginContext<undefined>, runs: BackgroundRuns): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'background',
    aliases: ['bg', 'btw', 'tasks'],
    description: 'Run a task in the background, or list the tasks there',
    category: 'Session',
    argsHint: '[task | stop <number>]',
    subcommands: ['stop'],
    async run(args, { conversation }) {
      const all = runs.of(conversation)
      if (!args) return list(all, ctx.use(Clock).now(), t)
      const [, number] = /^stop\s+#?(\d+)$/i.exec(args) ?? []
      if (number !== undefined) {
        const run = all.find((each) => each.number === Number(number))
        if (run && runs.stop(run)) return t('Stopping #{number}.', { number })
        return t('Nothing in the background has number {number}.', { number })
      }
      const run = runs.start(conversation, args, (ended) => deliver(ctx, ended, t))
      return t('#{number} works in the background; its answer comes here. /background lists all.', {
        number: run.number,
      })
    },
  }
}

function list(all: readonly BackgroundRun[], now: number, t: Translate): string {
  if (all.length === 0) return t('Nothing runs in the background. Begin something: /background <task>')
  return all
    .map((run) => `- #${run.number} ${state(run, t)}, ${formatDuration(now - run.startedAt)}: ${shortenLine(run.task)}`)
    .join('\n')
}

function report(run: BackgroundRun, t: Translate): string {
  const head = `**#${run.number} ${state(run, t)}**: ${shortenLine(run.task)}`
  return `${head}\n\n${run.result}\n\n${t('Continue it: /resume {id}', { id: run.sessionId })}`
}

/** Told where the task began, unless a plugin sends it to a chat. */
async function deliver(ctx: PluginContext<undefined>, run: BackgroundRun, t: Translate): Promise<void> {
  const { conversation, sessionId, parentSessionId, task, state: reason, result } = run
  const own = report(run, t)
  const about = { sessionId, parentSessionId, task, result }
  const told =
    reason === 'running' ? { text: own } : await ctx.call(SelectTaskDelivery, { text: own }, { ...about, reason })
  if (told.target === undefined) return conversation.say(told.text, tone(run))
  try {
    ctx.use(Outbox).send({ target: told.target, text: told.text, key: `background:${sessionId}` })
  } catch (error) {
    logFault(ctx.log, 'the result of a task could not be sent to a chat', error)
    const why = t('It could not be sent to {target}: {why}', { target: told.target, why: errorMessage(error) })
    conversation.say(`${told.text}\n\n${why}`, 'warning')
  }
}

function tone({ state }: BackgroundRun): 'info' | 'warning' | 'error' {
  if (state === 'failed') return 'error'
  return state === 'interrupted' ? 'warning' : 'info'
}

function state({ state }: BackgroundRun, t: Translate): string {
  if (state === 'running') return t('running')
  if (state === 'failed') return t('failed')
  return state === 'interrupted' ? t('stopped') : t('done')
}

const shortenLine = (text: string) => {
  const flat = text.replace(/\s+/g, ' ')
  return flat.length > MAX_SHOWN ? `${flat.slice(0, MAX_SHOWN - 1)}…` : flat
}
