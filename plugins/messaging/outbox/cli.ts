/** `svc outbox`: messages that leave. */
import { type CliCommand, type CliContext, SvcError } from 'svc/sdk'
import type { Delivery, DeliveryState, Outbox } from 'svc/sdk/platform'

const STATES: readonly DeliveryState[] = ['pending', 'attempting', 'delivered', 'uncertain', 'failed']
const json = { flags: '--json', description: 'As JSON' }

export function outboxCommand(outbox: Outbox): CliCommand {
  return {
    name: 'outbox',
    description: 'Inspect outgoing messages and retry or drop the ones that failed',
    options: [json],
    examples: ['outbox list --state uncertain', 'outbox retry 12.0', 'outbox drop 12.0'],
    run: async ({ options }, io) => list(outbox, io, options),
    subcommands: [
      {
        name: 'list',
        description: 'List them, the newest first',
        options: [json, { flags: '--state <state>', description: `One of ${STATES.join(', ')}` }],
        examples: ['outbox list --state failed'],
        run: async ({ options }, io) => list(outbox, io, options),
      },
      {
        name: 'retry',
        description: 'Send one that is uncertain or failed once more',
        arguments: '<id>',
        options: [json],
        examples: ['outbox retry 12.0'],
        run: async ({ args, options }, io) => decide(io, options, args[0] ?? '', 'retried', (id) => outbox.retry(id)),
      },
      {
        name: 'drop',
        description: 'Stop retrying a message and mark it as failed',
        arguments: '<id>',
        options: [json],
        examples: ['outbox drop 12.0'],
        run: async ({ args, options }, io) => decide(io, options, args[0] ?? '', 'dropped', (id) => outbox.drop(id)),
      },
    ],
  }
}

type Options = Readonly<Record<string, unknown>>

function list(outbox: Outbox, io: CliContext, { json: asJson, state: typed }: Options): number {
  const state = STATES.find((each) => each === typed)
  if (typed !== undefined && !state) {
    io.err(`There is no state "${typed}". States: ${STATES.join(', ')}.\n`)
    return 2
  }
  const all = outbox.deliveries(state ? { state } : {})
  if (asJson) io.out(`${JSON.stringify({ counts: outbox.counts(), deliveries: all }, undefined, 2)}\n`)
  else if (all.length === 0) io.out(state ? `No message is ${state}.\n` : 'No message was sent yet.\n')
  else io.out(`${all.map(line).join('\n')}\n`)
  return 0
}

function line({ id, state, platform, chatId, at, preview, error }: Delivery): string {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const why = error === undefined ? '' : `\n          ${error}`
  return `${id.padEnd(9)} ${state.padEnd(10)} ${when}  ${platform}:${chatId}  ${preview}${why}`
}

function decide(
  io: CliContext,
  { json: asJson }: Options,
  id: string,
  verb: string,
  act: (id: string) => boolean,
): number {
  if (!act(id)) {
    const advice = '`svc outbox list --state uncertain` and `--state failed` name those that wait for a decision.'
    throw new SvcError('OUTBOX_DELIVERY', `Nothing was ${verb}: ${id} waits for no decision. ${advice}`, {
      status: 404,
    })
  }
  io.out(asJson ? `${JSON.stringify({ id, [verb]: true })}\n` : `${id} ${verb}.\n`)
  return 0
}
