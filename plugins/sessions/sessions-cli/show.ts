/** `svc sessions show`: one conversation, message by message. */
import { type CliArguments, type CliContext, type Message, type PluginContext, Sessions, type TurnEvent } from 'svc/sdk'
import {
  formatCount,
  formatMoment,
  hasFlag,
  paint,
  printJson,
  printParts,
  safeBlock,
  safeJson,
  safeLine,
} from 'svc/sdk/kit/terminal'
import type { SessionReader } from 'svc/sdk/sessions'
import { findSession } from './find.ts'
import { withoutTakenBack } from './taken-back.ts'
import { costText, countOption } from './text.ts'

const MAX_EVENT = 100

export async function show(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const limit = countOption(input, 'limit', '--limit')
  const { id } = await findSession(ctx, input.args[0] ?? '')
  const reader = ctx.use(Sessions).read(id)
  if (hasFlag(input, 'events')) return showEvents(io, input, reader.events())
  const { session, systemPrompt, length, messages } = withoutTakenBack(reader)
  const left = Math.max(0, length - (limit ?? length))
  if (input.options['json'] === true)
    return printJson(io, {
      session,
      ...(systemPrompt !== undefined && { systemPrompt }),
      messages: [...messages()].slice(left).map(({ message, at }) => ({ ...message, at })),
    })
  io.out(`${paint(io, 'bold', safeLine(session.title ?? 'Without a title'))}\n`)
  const cost = costText(session.usage)
  const parent = session.parent === undefined ? [] : [`branch of ${session.parent}`]
  const facts = [id, session.surface, session.cwd, formatCount(length, 'message'), ...(cost ? [cost] : []), ...parent]
  io.out(`${paint(io, 'dim', facts.map(safeLine).join('  '))}\n`)
  if (left > 0) io.out(`${paint(io, 'dim', `${formatCount(left, 'earlier message')} left out`)}\n`)
  await printParts(io, shownMessages(io, messages(), left))
}

/** Those behind the first `left`. */
function* shownMessages(io: CliContext, messages: ReturnType<SessionReader['messages']>, left: number) {
  let number = 0
  for (const { message, at } of messages) {
    if (++number <= left) continue
    const facts = `${formatMoment(at)}  #${number}`
    yield `\n${paint(io, 'bold', message.role)}  ${paint(io, 'dim', facts)}\n${safeBlock(shownText(message))}\n`
  }
}

/** The journal: what `svc fork --at` and `svc replay` count by. */
async function showEvents(io: CliContext, input: CliArguments, events: Iterable<TurnEvent>): Promise<void> {
  if (hasFlag(input, 'json')) printJson(io, [...events])
  else await printParts(io, eventLines(io, events))
}

function* eventLines(io: CliContext, events: Iterable<TurnEvent>) {
  for (const { sessionId: _, turnId, seq, type, ...rest } of events) {
    const text = safeLine(safeJson(rest))
    const shown = text.length > MAX_EVENT ? `${text.slice(0, MAX_EVENT)}…` : text
    yield `${String(seq).padStart(5)}  ${turnId}  ${type.padEnd(16)}  ${paint(io, 'dim', shown)}\n`
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
