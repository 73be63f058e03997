/** Reads a complete export, which may have been edited or come from anywhere. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { errorMessage, SvcError } from 'svc/sdk'
import type { SessionArchive } from 'svc/sdk/sessions'
import { z } from 'zod'
import { mark } from './export.ts'

const count = z.int().nonnegative()
const image = z.looseObject({ mediaType: z.string(), data: z.string() })
const images = z.array(image).optional()
const call = z.looseObject({ id: z.string(), name: z.string() })
const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), text: z.string() }),
  z.looseObject({ role: z.literal('user'), text: z.string(), images }),
  z.looseObject({ role: z.literal('assistant'), text: z.string(), toolCalls: z.array(call).optional() }),
  z.looseObject({ role: z.literal('tool'), callId: z.string(), text: z.string(), images }),
])
const usage = z.object({
  input: count.optional(),
  output: count.optional(),
  cachedInput: count.optional(),
  cacheWriteInput: count.optional(),
  reasoning: count.optional(),
  costUsd: z.number().nonnegative().optional(),
  unpricedCalls: count.optional(),
})
const event = z.looseObject({ type: z.string(), turnId: z.string(), seq: z.int().positive() })
const label = z.object({ at: z.int().positive(), text: z.string() })
const archiveLine = z.object({
  format: z.literal(mark.format),
  version: z.literal(mark.version),
  session: z.object({
    id: z.string().regex(/^[^\s\p{C}]{1,100}$/u, 'is no session id'),
    surface: z.string(),
    cwd: z.string(),
    title: z.string().optional(),
    createdAt: count,
    updatedAt: count,
    messageCount: count,
    usage,
    parent: z.string().optional(),
    branchedAt: count.optional(),
  }),
  systemPrompt: z.string().optional(),
  messages: z.array(z.object({ message, at: count, turnId: z.string(), seq: count })),
  events: z
    .array(event)
    .refine((events) => events.every(({ seq }, at) => at === 0 || seq > (events[at - 1]?.seq ?? 0)), {
      message: 'are not in the order of seq',
    }),
  edits: z
    .array(
      z.looseObject({
        kind: z.enum(['rewound', 'compressed']),
        first: count,
        last: count,
        messages: z.array(message),
        seq: count,
        at: count,
      }),
    )
    .optional(),
  states: z
    .array(
      z.object({
        id: z.string().min(1).max(200),
        undo: z.enum(['restores', 'keeps']),
        position: count,
        seq: count,
        edits: count,
        value: z.unknown().optional(),
      }),
    )
    .optional(),
  labels: z.array(label).optional(),
  kept: z.record(z.string(), z.string()).optional(),
})
const archive = archiveLine.refine(({ labels = [], messages }) => labels.every(({ at }) => at <= messages.length), {
  path: ['labels'],
  message: 'one is on a message that is not there',
})

/** One session after the other; blank lines do not count. Throws `SESSIONS_FILE` or `SESSIONS_IMPORT_INVALID`. */
export async function* readArchives(path: string): AsyncIterable<SessionArchive> {
  let line = 0
  const input = createReadStream(path)
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line++
      if (text.trim()) yield parseArchive(text, `${path}, line ${line}`)
    }
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw new SvcError('SESSIONS_FILE', `${path} cannot be read: ${errorMessage(error)}.`, { cause: error })
  } finally {
    input.destroy()
  }
}

function parseArchive(text: string, place: string): SessionArchive {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(place, 'it is not JSON', error)
  }
  const { data, error } = archive.safeParse(value)
  // The schema checks what is relied on; the rest is kept as it is.
  if (data) return data as unknown as SessionArchive
  const [issue] = error.issues
  throw invalid(place, `${issue?.path.join('.') || 'the line'}: ${issue?.message}`, error)
}

function invalid(place: string, reason: string, cause: unknown): SvcError {
  const advice = 'Only what svc sessions export --format jsonl wrote can be imported. Nothing was imported.'
  return new SvcError('SESSIONS_IMPORT_INVALID', `${place} is no exported session (${reason}). ${advice}`, { cause })
}
