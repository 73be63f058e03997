/** `svc sessions export`: conversations as text. */
import { resolve } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  type PluginContext,
  type SessionSummary,
  Sessions,
  SvcError,
  type TurnEvent,
} from 'svc/sdk'
import { formatCount, printParts, safeJson, safeLine } from 'svc/sdk/kit/terminal'
import type { SessionReader } from 'svc/sdk/sessions'
import { readToKeep } from './archive.ts'
import { createFilter, everySession } from './filter.ts'
import { findSessions } from './find.ts'
import { textOption } from './text.ts'

/** The marker of a line of a complete export, which distinguishes it from other files. */
export const mark = { format: 'svc-session', version: 1 } as const

/** How sessions become text, part by part. `session` may be called any number of times. */
export interface Format {
  readonly head: string
  session(reader: SessionReader): Iterable<string>
  readonly foot: string
}

/** The complete export: a line of JSON for each session. */
function* archiveLine({ length: _, messages, events, kept, ...top }: SessionReader): Generator<string, void> {
  yield `${safeJson({ ...mark, ...top }).slice(0, -1)},"messages":[`
  yield* elements(messages())
  yield '],"events":['
  const texts = new Map<string, string>()
  yield* elements(withKept(events(), kept, texts))
  yield texts.size > 0 ? `],"kept":${safeJson(Object.fromEntries(texts))}}\n` : ']}\n'
}

function* elements(values: Iterable<unknown>): Generator<string, void> {
  let separator = ''
  for (const value of values) {
    yield separator + safeJson(value)
    separator = ','
  }
}

/** The same events; the texts that they name are collected. */
function* withKept(events: Iterable<TurnEvent>, kept: SessionReader['kept'], texts: Map<string, string>) {
  for (const event of events) {
    const digest = event.type === 'turn.start' ? event.tools : undefined
    const text = digest === undefined || texts.has(digest) ? undefined : kept(digest)
    if (digest !== undefined && text !== undefined) texts.set(digest, text)
    yield event
  }
}

const formats: Readonly<Record<string, () => Promise<Format>>> = {
  jsonl: async () => ({ head: '', session: archiveLine, foot: '' }),
  md: async () => (await import('./markdown.ts')).markdown,
  openai: async () => (await import('./openai.ts')).openai,
  html: async () => (await import('./html.ts')).html,
}

/** The format of this name; undefined for one that there is not. */
export async function loadFormat(name: string): Promise<Format | undefined> {
  return (Object.hasOwn(formats, name) ? formats[name] : undefined)?.()
}

export async function exportTo(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const name = textOption(input, 'format') ?? 'jsonl'
  const format = await loadFormat(name)
  if (!format)
    throw new SvcError(
      'CLI_USAGE',
      `--format is "${safeLine(name)}"; it must be one of ${Object.keys(formats).join(', ')}.`,
    )
  const sessions = await resolveSessions(ctx, input, io)
  const output = textOption(input, 'output')
  const ids = sessions.map(({ id }) => id)
  const parts = exportParts(ctx, format, ids)
  if (output === undefined) return printParts(io, parts)
  const { writeNew } = await import('./file.ts')
  writeNew(resolve(io.cwd, output), parts)
  io.err(`${formatCount(sessions.length, 'conversation')} written to ${safeLine(output)}\n`)
}

/** The one used first comes first, so that an import keeps the order. */
async function resolveSessions(
  ctx: PluginContext<undefined>,
  input: CliArguments,
  io: CliContext,
): Promise<readonly SessionSummary[]> {
  if (input.args.length > 0) return findSessions(ctx, input.args)
  const all = ctx.use(Sessions).list({ limit: everySession, ...createFilter(ctx, input, io) })
  return all.toReversed()
}

/** The text of sessions, part by part. */
export function* exportParts(ctx: PluginContext<undefined>, format: Format, ids: readonly string[]) {
  yield format.head
  for (const id of ids) yield* format.session(readToKeep(ctx, id))
  yield format.foot
}
