/** Sessions and messages as short lines. */
import type { Message, SessionSummary } from 'svc/sdk'

/** `Fix the build · ses_1 · 2026-11-20 14:03 · cli · 42 messages`. */
export function sessionLine({ id, title, updatedAt, surface, messageCount }: SessionSummary): string {
  return [title ?? '(no title)', id, formatDate(updatedAt), surface, `${messageCount} messages`].join(' · ')
}

/** `[17] user: fix the build`. Its number is what `around` takes. */
export function messageLine(message: Message, at: number, limit: number): string {
  return `[${at}] ${message.role}: ${cut(formatMessage(message), message.role === 'tool' ? Math.ceil(limit / 2) : limit)}`
}

/** On one line, cut at its end. */
export function cut(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

function formatMessage(message: Message): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : []
  return calls.length > 0 ? `${message.text} (calls ${calls.join(', ')})` : message.text
}

function formatDate(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
