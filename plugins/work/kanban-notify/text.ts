/** What a chat is told of an event, in Markdown. */
import type { TaskCard, TaskEvent } from 'svc/sdk/kanban'

const MAX_DETAIL = 1500

type Describe = (data: TaskEvent['data']) => string

const KINDS: Readonly<Record<string, Describe>> = {
  completed: ({ summary, isVerified }) =>
    `✅ done${isVerified === false ? ', but not verified' : ''}${addDetail(summary)}`,
  blocked: ({ reason }) => `✋ is blocked${addDetail(reason)}`,
  gave_up: ({ failures, error }) =>
    `❌ is blocked after ${String(failures ?? 'several')} failed runs${addDetail(error)}`,
  crashed: ({ error }) => `⚠️ its worker crashed${addDetail(error)}`,
  timed_out: ({ error }) => `⚠️ its worker took too long${addDetail(error)}`,
  checks_failed: ({ error }) => `⚠️ its checks are not met${addDetail(error)}`,
  budget_exhausted: () => '✋ is blocked: its budget is spent',
  decomposed: () => '🔀 was taken apart into smaller tasks',
  block_loop_detected: ({ reason }) => `✋ was blocked again for the same kind of reason${addDetail(reason)}`,
  archived: () => '📦 was put away',
}

/** Undefined for a kind that no chat is told of. */
export function describeEvent({ id, title }: TaskCard, { kind, data }: TaskEvent): string | undefined {
  const describe = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  return describe && `**${oneLine(title)}** (${id}): ${describe(data)}`
}

function addDetail(text: unknown): string {
  return typeof text === 'string' && text.trim() !== '' ? `: ${oneLine(text)}` : ''
}

/** What a worker wrote does not begin a block of its own in the message. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL)
}
