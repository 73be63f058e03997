/** One attempt to bring a part to its platform, and what is known afterwards. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  type Clock,
  type DeliveryFailure,
  deliveryFailure,
  errorMessage,
  type Outbound,
  type Platform,
  type Receipt,
  SvcError,
} from 'svc/sdk'
import { buttonsOf, filesOf, type PartOfMessage } from './store.ts'

/** What came of it. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly receipt: Receipt }
  | (DeliveryFailure & { readonly error: string })

/** After this nobody waits for the platform any more; it may still take the message. */
const LIMIT_MS = 120_000

/** What an attempt needs. */
export interface AttemptPorts {
  readonly clock: Clock
  /** From now on it may have been sent. Throws when this cannot be written down. */
  commit(): void
}

/** Sends the part, or edits what was sent. Never throws. */
export async function attempt(
  platform: Platform,
  part: PartOfMessage,
  { clock, commit }: AttemptPorts,
): Promise<Outcome> {
  let isOver = false
  let isCommitted = platform.limits.commits !== true
  const begin = () => {
    if (isOver) throw late()
    commit()
    isCommitted = true
  }
  try {
    return { kind: 'delivered', receipt: await within(clock, deliver(platform, part, begin)) }
  } catch (error) {
    const { kind, ...more } = deliveryFailure(error)
    return { kind: kind === 'unsure' && !isCommitted ? 'busy' : kind, ...more, error: errorMessage(error) }
  } finally {
    isOver = true
  }
}

/** What makes the message one message for the platform, across attempts and restarts. */
export function platformKey({ of, part, generation }: PartOfMessage): string {
  return createHash('sha256').update(`${of.key}\n${part}\n${generation}`).digest('hex').slice(0, 32)
}

async function deliver(platform: Platform, part: PartOfMessage, commit: () => void): Promise<Receipt> {
  if (part.receipt !== null) return edit(platform, part, part.receipt)
  const message = outbound(platform, part)
  if (part.doubt && platform.limits.idempotency === 'lookup') {
    const found = await platform.find?.(message)
    if (found) return found
  }
  return platform.send(platform.limits.commits ? { ...message, commit } : message)
}

async function edit(platform: Platform, part: PartOfMessage, messageId: string): Promise<Receipt> {
  const { chatId, threadId, text, buttons } = outbound(platform, part)
  const isFinal = part.of.draft === 0
  const place = threadId === undefined ? { chatId } : { chatId, threadId }
  await platform.edit?.({ ...place, messageId, text, isFinal, ...(buttons && { buttons }) })
  return { messageId }
}

function outbound({ limits }: Platform, part: PartOfMessage): Outbound {
  const { of, text } = part
  const file = part.file === null ? undefined : filesOf(of)[part.file]
  const buttons = limits.buttons && file === undefined && part.isLastText ? buttonsOf(of) : []
  return {
    chatId: of.chat,
    ...(of.thread !== null && { threadId: of.thread }),
    ...(of.replyTo !== null && part.part === 0 && { replyTo: of.replyTo }),
    text,
    key: platformKey(part),
    ...(buttons.length > 0 && { buttons: buttons.slice(0, limits.buttons) }),
    ...(file && { file: { name: file.name, mediaType: file.mediaType, bytes: () => readFile(file.path) } }),
  }
}

function within<T>(clock: Clock, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(LIMIT_MS, () => reject(late()), { background: true })
    work.finally(cancel).then(resolve, reject)
  })
}

function late(): SvcError {
  return new SvcError('OUTBOX_TIMEOUT', `The platform did not answer for ${LIMIT_MS / 1000} s.`)
}
