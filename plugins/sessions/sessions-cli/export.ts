/** `svc sessions export`: conversations as text. */
import { resolve } from 'node:path'
import {
  type CliInput,
  type CliIo,
  type PluginContext,
  type SessionArchive,
  type SessionSummary,
  Sessions,
  SvcError,
} from 'svc/sdk'
import { formatCount, safeJson, safeLine } from 'svc/sdk/kit/terminal'
import { archiveToKeep } from './archive.ts'
import { everySession, filterOf } from './filter.ts'
import { findSessions } from './find.ts'
import { textOption } from './text.ts'

/** What a line of a complete export says of itself, so that other files are told apart. */
export const mark = { format: 'svc-session', version: 1 } as const

/** The complete export: a line of JSON for each session. */
export function archiveLine(archive: SessionArchive): string {
  return `${safeJson({ ...mark, ...archive })}\n`
}

/** How sessions become text. `session` may be called any number of times. */
export interface Format {
  readonly head: string
  session(archive: SessionArchive): string
  readonly foot: string
}

const formats: Readonly<Record<string, () => Promise<Format>>> = {
  jsonl: async () => ({ head: '', session: archiveLine, foot: '' }),
  md: async () => (await import('./markdown.ts')).markdown,
  html: async () => (await import('./html.ts')).html,
}

/** The format of this name; undefined for one that there is not. */
export async function formatOf(name: string): Promise<Format | undefined> {
  return (Object.hasOwn(formats, name) ? formats[name] : undefined)?.()
}

export async function exportTo(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<void> {
  const name = textOption(input, 'format') ?? 'jsonl'
  const format = await formatOf(name)
  if (!format)
    throw new SvcError(
      'CLI_USAGE',
      `--format is "${safeLine(name)}"; it must be one of ${Object.keys(formats).join(', ')}.`,
    )
  const sessions = await meant(ctx, input, io)
  const output = textOption(input, 'output')
  const pieces = piecesOf(ctx, format, sessions)
  if (output === undefined) {
    for (const piece of pieces) io.out(piece)
    return
  }
  const { writeNew } = await import('./file.ts')
  writeNew(resolve(io.cwd, output), pieces)
  io.err(`${formatCount(sessions.length, 'conversation')} written to ${safeLine(output)}\n`)
}

/** The one used first comes first, so that an import keeps the order. */
async function meant(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<readonly SessionSummary[]> {
  if (input.args.length > 0) return findSessions(ctx, input.args)
  const all = ctx.use(Sessions).list({ limit: everySession, ...filterOf(ctx, input, io) })
  return all.toReversed()
}

function* piecesOf(ctx: PluginContext<undefined>, format: Format, sessions: readonly SessionSummary[]) {
  yield format.head
  for (const { id } of sessions) yield format.session(archiveToKeep(ctx, id))
  yield format.foot
}
