/** Messages as Slack takes them, and how one that was sent is known again. */
import { deliveryUncertain, type MessageButton, type OutboundMessage, type SendReceipt } from 'svc/sdk/platform'
import { z } from 'zod'
import type { SlackApi } from './api.ts'

const EVENT_TYPE = 'svc_message'
const PAGE = 200
/** Newest first; lookups follow soon after the message was sent. */
const HISTORY_PAGES = 3
const THREAD_PAGES = 10
/** Of buttons and of options alike. */
const LABEL_LENGTH = 75
const FALLBACK_LENGTH = 500
/** More choices than these are a menu. */
const MAX_BUTTONS = 5
/** Of one block (.../block-kit/blocks/actions-block). */
const MAX_ELEMENTS = 25

/** Hidden from people (docs.slack.dev/messaging/message-metadata). */
export function createMetadata(key: string): object {
  return { event_type: EVENT_TYPE, event_payload: { key } }
}

/**
 * Choices below the text: in an attachment, because blocks of the message itself would stand in the place of its text
 * (docs.slack.dev/reference/block-kit/blocks/actions-block).
 */
export function createActions(buttons: readonly MessageButton[]) {
  if (buttons.length === 0) return []
  const elements = isMenu(buttons) ? [createMenu(buttons)] : buttons.map(createButton)
  const fallback = buttons
    .map(({ label }) => label)
    .join(', ')
    .slice(0, FALLBACK_LENGTH)
  return [{ fallback, blocks: [{ type: 'actions' as const, elements }] }]
}

/** A choice that has a colour, such as an approval, is never hidden in a menu. */
function isMenu(buttons: readonly MessageButton[]): boolean {
  if (buttons.length > MAX_ELEMENTS) return true
  return buttons.length > MAX_BUTTONS && buttons.every(({ style }) => style === undefined)
}

function createButton({ value, label, style }: MessageButton, at: number) {
  return { type: 'button' as const, action_id: `svc-${at}`, value, text: plainText(label), ...(style && { style }) }
}

/** Slack shows words of its own until something is chosen (.../block-kit/block-elements/select-menu-element, static_select). */
function createMenu(buttons: readonly MessageButton[]) {
  const options = buttons.map(({ value, label }) => {
    const rest = [...label].slice(LABEL_LENGTH - 1).join('')
    const isLong = [...rest].length > 1
    return { value, text: plainText(label), ...(isLong && { description: plainText(`…${rest}`) }) }
  })
  return { type: 'static_select' as const, action_id: 'svc-menu', options }
}

/** Cut to what buttons and options show. */
function plainText(label: string) {
  const characters = [...label]
  const isLong = characters.length > LABEL_LENGTH
  const text = isLong ? `${characters.slice(0, LABEL_LENGTH - 1).join('')}…` : label
  return { type: 'plain_text' as const, text, emoji: true }
}

const messages = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      metadata: z
        .object({ event_type: z.string().optional(), event_payload: z.record(z.string(), z.unknown()).optional() })
        .optional(),
      files: z.array(z.object({ id: z.string() })).default([]),
    }),
  ),
  has_more: z.boolean().default(false),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
})
type Message = z.infer<typeof messages>['messages'][number]

/** Looks through the newest messages of a channel, or through a whole thread. */
export async function findSent(
  api: SlackApi,
  message: OutboundMessage,
  fileId?: string,
): Promise<SendReceipt | undefined> {
  const { chatId, threadId, key } = message
  const method = threadId === undefined ? 'conversations.history' : 'conversations.replies'
  const pages = threadId === undefined ? HISTORY_PAGES : THREAD_PAGES
  const form = { channel: chatId, ts: threadId, include_all_metadata: true, limit: PAGE }
  let cursor: string | undefined
  for (let page = 0; page < pages; page++) {
    const said = await api.call(method, { ...form, cursor }, messages)
    const found = said.messages.find((each) => isSent(each, key, fileId))
    if (found) return { messageId: fileId ?? found.ts, at: Math.floor(Number(found.ts) * 1000) }
    cursor = said.response_metadata?.next_cursor
    if (!cursor || !said.has_more) return undefined
  }
  if (threadId === undefined) return undefined
  // A thread is given oldest first: its end was not seen.
  throw deliveryUncertain(
    'SLACK_FAILED',
    'Whether this message was sent cannot be known: its thread is too long to be searched.',
  )
}

function isSent({ metadata, files }: Message, key: string, fileId: string | undefined): boolean {
  if (fileId !== undefined) return files.some(({ id }) => id === fileId)
  return metadata?.event_type === EVENT_TYPE && metadata.event_payload?.['key'] === key
}
