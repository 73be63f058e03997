/** `svc replay` and `svc fork`. */
import {
  Agent,
  type CliArguments,
  type CliCommand,
  type CliContext,
  Clock,
  Config,
  type PluginContext,
  Sessions,
  SvcError,
} from 'svc/sdk'
import { Plugins, Runtimes } from 'svc/sdk/host'
import { checkConversationChange } from 'svc/sdk/sessions'
import type { Replayed } from './replay.ts'

const json = { flags: '--json', description: 'As JSON' }

export function replayCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'replay',
    description:
      'Runs a recorded turn again, offline and without running any tool, and tells whether it comes out the same.',
    arguments: '<run>',
    options: [{ flags: '--all', description: 'Every turn of the session' }, json],
    examples: ['replay last', 'replay turn_0123456789abcdef', 'replay 20261121_104855_5c532b --all --json'],
    async run({ args: [name = ''], options }, io) {
      const { findRun, listRuns } = await import('./run.ts')
      const { replay } = await import('./replay.ts')
      const sessions = ctx.use(Sessions)
      const last = findRun(sessions, name)
      const runs = options['all'] === true ? listRuns(sessions, last.before.session.id) : [last]
      const surroundings = {
        runtimes: ctx.use(Runtimes),
        clock: ctx.use(Clock),
        plugins: ctx
          .use(Plugins)
          .list()
          .map(({ manifest }) => manifest.name),
        agent: ctx.use(Config).get('agent'),
      }
      let isSame = true
      for (const run of runs) {
        const result = await replay(run, surroundings)
        isSame &&= result.difference === undefined
        print(io, result, options)
      }
      return isSame ? 0 : 1
    },
  }
}

function print(io: CliContext, result: Replayed, options: CliArguments['options']): void {
  io.out(options['json'] === true ? `${JSON.stringify(result)}\n` : report(result))
}

function report({ turnId, events, difference }: Replayed): string {
  if (!difference) return `${turnId}: ${events} events, the same byte for byte.\n`
  const { at, index, recorded, replayed, meaning } = difference
  const sides = `  recorded: ${shorten(recorded)}\n  replayed: ${shorten(replayed)}\n`
  return `${turnId}: not the same from ${at} ${index} on: ${meaning}.\n${sides}`
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

export function forkCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'fork',
    description: 'Fork a recorded turn at any event into a new session; the original is unchanged.',
    arguments: '<run>',
    options: [
      { flags: '--at <event>', description: 'The event after which to continue, by its `seq` (default: the last one)' },
      { flags: '--say <text>', description: 'Message to send at that point (default: let the model continue)' },
      { flags: '--provider <name>', description: 'Ask this provider' },
      { flags: '--model <id>', description: 'Ask this model' },
      json,
    ],
    examples: ['fork last --at 12', 'fork last --at 12 --provider anthropic --model claude-opus-4'],
    run: (input, io) => fork(ctx, input, io),
  }
}

async function fork(
  ctx: PluginContext<undefined>,
  { args: [name = ''], options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const { findRun } = await import('./run.ts')
  const sessions = ctx.use(Sessions)
  const { events, before, start } = findRun(sessions, name)
  const last = events.at(-1)?.seq ?? start.seq
  const at = options['at'] === undefined ? last : Number(options['at'])
  if (!Number.isInteger(at) || at < start.seq || at > last)
    throw new SvcError(
      'REPLAY_PLACE_UNKNOWN',
      `--at takes the number of an event of this turn, from ${start.seq} to ${last}. \`svc sessions show ${before.session.id} --events\` has them.`,
    )
  await checkConversationChange(ctx, { reason: 'branch', sessionId: before.session.id })
  const branch = sessions.branch(before.session.id, { atSeq: at })
  const text = (key: string) => (typeof options[key] === 'string' ? { [key]: options[key] as string } : {})
  const said = options['say']
  const request = {
    sessionId: branch.id,
    surface: 'cli',
    signal: io.signal,
    allowDemo: io.interactive,
    ...text('provider'),
    ...text('model'),
    ...(typeof said === 'string' && { text: said }),
  }
  let isDone = false
  for await (const event of ctx.use(Agent).run(request)) {
    if (options['json'] === true) io.out(`${JSON.stringify(event)}\n`)
    else if (event.type === 'message.complete') io.out(`${event.text}\n`)
    else if (event.type === 'error') io.err(`error: ${event.message} (${event.code})\n`)
    isDone = event.type === 'turn.end' && event.reason === 'completed'
  }
  if (options['json'] !== true) io.err(`In session ${branch.id}; \`svc chat --resume ${branch.id}\` continues it.\n`)
  return isDone ? 0 : 1
}
