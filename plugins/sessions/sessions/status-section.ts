/** Stored conversations, for `svc status`. */
import type { Sessions } from 'svc/sdk'
import type { StatusLine } from 'svc/sdk/operations'
import { formatCount, formatDuration } from 'svc/sdk/terminal'

export async function readConversationsStatus(
  stored: Pick<Sessions, 'stats'>,
  now: number,
): Promise<readonly StatusLine[]> {
  const { sessions, messages, bytes, newest } = stored.stats()
  if (newest === undefined) return [{ label: 'Stored', text: 'none' }]
  const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`
  return [
    { label: 'Stored', text: `${formatCount(sessions)}, messages: ${formatCount(messages)}, ${size}` },
    { label: 'Newest', text: `${formatDuration(Math.max(0, now - newest))} ago` },
  ]
}
