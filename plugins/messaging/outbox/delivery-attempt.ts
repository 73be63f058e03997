/** One attempt to bring a part to its platform, and what is known afterwards. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Clock, errorMessage, type Logger, logFault, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import {
  classifyDeliveryError,
  type DeliveryFailure,
  deliveryRefused,
  type OutboundFile,
  type OutboundMessage,
  type Platform,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type KeptFile, type PartOfMessage, parseButtons, parseFileNumbers, parseFiles } from './store.ts'

/** What came of it. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly receipt: SendReceipt }
  | (DeliveryFailure & { readonly error: string })

/** After this the platform is not waited for any more; it may still accept the message. */
const LIMIT_MS = 120_000
/** Additional time for files: 100 kB per second. */
const MS_PER_BYTE = 0.01

export interface AttemptDeps {
  readonly clock: Clock
  readonly log: Logger
  /** From now on it may have been sent. Throws when this cannot be written down. */
  commit(): void
  /** Throws when it cannot be written down. */
  writeNote(note: string): void
}

/** Characters of a note. */
const MAX_NOTE = 2000

/** Sends the part, or edits what was sent. Never throws. */
export async function attempt(
  platform: Platform,
  part: PartOfMessage,
  { clock, log, commit, writeNote }: AttemptDeps,
): Promise<Outcome> {
  let isOver = false
  let isCommitted = platform.limits.commits !== true
  const begin = () => {
    if (isOver) throw late()
    commit()
    isCommitted = true
  }
  const keepNote = (note: string) => {
    if (isOver) throw late()
    if (note.length > MAX_NOTE) throw new SvcError('OUTBOX_NOTE', `A note has at most ${MAX_NOTE} characters.`)
    writeNote(note)
  }
  try {
    const message = outbound(platform, part, part.receipt === null ? await filesToSend(part) : [])
    const limit = LIMIT_MS + (message.files ?? []).reduce((sum, { size }) => sum + size, 0) * MS_PER_BYTE
    return {
      kind: 'delivered',
      receipt: await withDeadline(
        clock,
        limit,
        (signal) => deliver(platform, part, { message, commit: begin, writeNote: keepNote, signal }),
        late,
        {
          background: true,
        },
      ),
    }
  } catch (error) {
    logFault(log, `${platform.name} could not send a message`, error)
    const { kind, ...more } = classifyDeliveryError(error)
    return { kind: kind === 'unsure' && !isCommitted ? 'busy' : kind, ...more, error: errorMessage(error) }
  } finally {
    isOver = true
  }
}

/** What makes the message one message for the platform, across attempts and restarts. */
export function platformKey({ of, part, generation }: PartOfMessage): string {
  return createHash('sha256').update(`${of.key}\n${part}\n${generation}`).digest('hex').slice(0, 32)
}

/** What is sent, and how long it is waited for. */
interface Sending {
  readonly message: OutboundMessage
  readonly signal: AbortSignal
}

async function deliver(
  platform: Platform,
  part: PartOfMessage,
  { message, commit, writeNote, signal }: Sending & Pick<AttemptDeps, 'commit' | 'writeNote'>,
): Promise<SendReceipt> {
  if (part.receipt !== null) return edit(platform, part, { message, messageId: part.receipt, signal })
  if (part.doubt && platform.limits.idempotency === 'lookup') {
    const found = await platform.find?.(message, signal)
    if (found) return found
  }
  return platform.send({ ...message, writeNote, ...(platform.limits.commits && { commit }) }, signal)
}

async function edit(
  platform: Platform,
  part: PartOfMessage,
  { message, messageId, signal }: Sending & { readonly messageId: string },
): Promise<SendReceipt> {
  const { chatId, threadId, text, buttons } = message
  const isFinal = part.of.draft === 0
  const place = threadId === undefined ? { chatId } : { chatId, threadId }
  await platform.edit?.({ ...place, messageId, text, isFinal, ...(buttons && { buttons }) }, signal)
  return { messageId }
}

function outbound({ limits }: Platform, part: PartOfMessage, files: readonly OutboundFile[]): OutboundMessage {
  const { of, text } = part
  const buttons = limits.buttons && part.isLastText ? parseButtons(of) : []
  return {
    chatId: of.chat,
    ...(of.thread !== null && { threadId: of.thread }),
    ...(of.replyTo !== null && part.part === 0 && { replyTo: of.replyTo }),
    text,
    key: platformKey(part),
    ...(part.note !== null && { note: part.note }),
    ...(buttons.length > 0 && { buttons: buttons.slice(0, limits.buttons) }),
    ...(files.length > 0 && { files }),
  }
}

/** Read before anything is sent: a missing copy leaves no doubt about what arrived. */
function filesToSend(part: PartOfMessage): Promise<readonly OutboundFile[]> {
  const all = parseFiles(part.of)
  return Promise.all(parseFileNumbers(part).map((number) => fileToSend(all[number])))
}

async function fileToSend(file: KeptFile | undefined): Promise<OutboundFile> {
  const bytes = file && (await readFile(file.path).catch(() => undefined))
  if (!bytes)
    throw deliveryRefused('OUTBOX_FILE_LOST', `The copy of ${file?.name ?? 'a file'} is gone from the outbox.`)
  const { name, mediaType, kind, isVoice } = file
  return { name, mediaType, kind, size: bytes.length, ...(isVoice && { isVoice }), bytes: async () => bytes }
}

function late(): SvcError {
  return new SvcError('OUTBOX_TIMEOUT', 'The platform did not answer in time.')
}
