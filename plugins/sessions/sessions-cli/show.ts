/** `svc sessions show`: one conversation, message by message. */
import { type CliInput, type CliIo, type Message, type PluginContext, Sessions, type TurnEvent } from 'svc/sdk'
import {
  formatCount,
  formatMoment,
  hasFlag,
  paint,
  printJson,
  safeBlock,
  safeJson,
  safeLine,
} from 'svc/sdk/kit/terminal'
import { findSession } from './find.ts'
import { withoutTakenBack } from './taken-back.ts'
import { costText, countOption } from './text.ts'

const MAX_EVENT = 100

export async function show(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<void> {
  const limit = countOption(input, 'limit', '--limit')
  const { id } = await findSession(ctx, input.args[0] ?? '')
  const archive = ctx.use(Sessions).export(id)
  if (hasFlag(input, 'events')) return showEvents(io, input, archive.events)
  const { session, systemPrompt, messages } = withoutTakenBack(archive)
  const wanted = messages.slice(limit === undefined ? 0 : -limit)
  if (input.options['json'] === true)
    return printJson(io, {
      session,
      ...(systemPrompt !== undefined && { systemPrompt }),
      messages: wanted.map(({ message, at }) => ({ ...message, at })),
    })
  const left = messages.length - wanted.length
  io.out(`${paint(io, 'bold', safeLine(session.title ?? 'Without a title'))}\n`)
  const cost = costText(session.usage)
  const parent = session.parent === undefined ? [] : [`branch of ${session.parent}`]
  const facts = [
    id,
    session.surface,
    session.cwd,
    formatCount(messages.length, 'message'),
    ...(cost ? [cost] : []),
    ...parent,
  ]
  io.out(`${paint(io, 'dim', facts.map(safeLine).join('  '))}\n`)
  if (left > 0) io.out(`${paint(io, 'dim', `${formatCount(left, 'earlier message')} left out`)}\n`)
  for (const [index, { message, at }] of wanted.entries()) {
    const facts = `${formatMoment(at)}  #${left + index + 1}`
    io.out(`\n${paint(io, 'bold', message.role)}  ${paint(io, 'dim', facts)}\n${safeBlock(shownText(message))}\n`)
  }
}

/** The journal: what `svc fork --at` and `svc replay` count by. */
function showEvents(io: CliIo, input: CliInput, events: readonly TurnEvent[]): void {
  const lines = hasFlag(input, 'json') ? [] : events
  if (hasFlag(input, 'json')) printJson(io, events)
  for (const { sessionId: _, turnId, seq, type, ...rest } of lines) {
    const text = safeLine(safeJson(rest))
    const shown = text.length > MAX_EVENT ? `${text.slice(0, MAX_EVENT)}…` : text
    io.out(`${String(seq).padStart(5)}  ${turnId}  ${type.padEnd(16)}  ${paint(io, 'dim', shown)}\n`)
  }
}

function shownText(message: Message): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const images = 'images' in message ? (message.images ?? []) : []
  return [
    ...(message.text ? [message.text] : []),
    ...calls.map(({ name, input }) => `-> ${name} ${typeof input === 'string' ? input : safeJson(input ?? {})}`),
    ...images.map(({ mediaType }) => `[picture: ${mediaType}]`),
  ].join('\n')
}
