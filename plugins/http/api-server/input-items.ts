/** What was said to a response, in the form in which it can be asked for. */
import type { Random } from 'svc/sdk'
import type { ApiItem } from 'svc/sdk/web'

type Fields = Readonly<Record<string, unknown>>

/** Longer texts, which are pictures as a rule, are not kept a second time. */
const MAX_TEXT = 65_536
const MAX_ITEMS = 200

/** The last ones, each with an id. */
export function inputItems(input: string | readonly unknown[], random: Random): readonly ApiItem[] {
  const items = typeof input === 'string' ? [input] : input.slice(-MAX_ITEMS)
  return items.map((item) => {
    const fields = typeof item === 'string' ? { role: 'user', content: item } : (item as Fields)
    const isMessage = fields['role'] !== undefined
    const id = typeof fields['id'] === 'string' ? fields['id'] : `${isMessage ? 'msg' : 'item'}_${random.hex(14)}`
    if (!isMessage) return { ...fields, id }
    const { role, content } = fields
    return { ...fields, id, type: 'message', role, status: 'completed', content: convertParts(content, role) }
  })
}

/** Without what is long. */
export function shortItem(item: ApiItem): ApiItem {
  const shown = JSON.stringify(item, (_name, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT ? null : value,
  )
  return JSON.parse(shown) as ApiItem
}

function convertParts(content: unknown, role: unknown): unknown {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  if (typeof content === 'string') return [{ type, text: content }]
  if (!Array.isArray(content)) return []
  return content.map((part) => (typeof part === 'string' ? { type, text: part } : part))
}
