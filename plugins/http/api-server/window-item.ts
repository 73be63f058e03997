/** The item that holds a compacted window. It has no secrets: a client could send the same messages itself. */
import type { Message, Random } from 'svc/sdk'
import type { ApiItem } from 'svc/sdk/web'
import { z } from 'zod'

interface WindowMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

const content = z.object({
  v: z.literal(1),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
})

/** Only texts: calls of tools belong to the session that made them. */
export function windowItem(messages: readonly Message[], random: Random): ApiItem {
  const kept = messages.flatMap(({ role, text }): WindowMessage[] =>
    (role === 'user' || role === 'assistant') && text ? [{ role, text }] : [],
  )
  const encrypted_content = Buffer.from(JSON.stringify({ v: 1, messages: kept })).toString('base64')
  return { id: `cmp_${random.hex(14)}`, type: 'compaction', encrypted_content }
}

/** The window of an item; undefined for an item of another server, which cannot be read here. */
export function decodeWindow(item: Readonly<Record<string, unknown>>): readonly Message[] | undefined {
  const sealed = item['encrypted_content']
  if (item['type'] !== 'compaction' || typeof sealed !== 'string') return undefined
  try {
    return content.parse(JSON.parse(Buffer.from(sealed, 'base64').toString())).messages
  } catch {
    return undefined
  }
}
