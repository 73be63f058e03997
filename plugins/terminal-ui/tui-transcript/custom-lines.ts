/** Lines that renderers of plugins make of messages and of entries. */
import type { PluginContext } from 'svc/sdk'
import { EntryRenderers, MessageRenderers, type ShownMessage, type StyledLine, TextLayout } from 'svc/sdk/terminal'
import type { BlockBody } from './state.ts'

const MAX_LINES = 1000

/** Undefined where no renderer takes the block. One that fails is reported and left out. */
export function customLines(
  ctx: PluginContext<undefined>,
  block: BlockBody,
  room: { readonly width: number; readonly isUnfolded: boolean },
): readonly StyledLine[] | undefined {
  const lines = block.kind === 'entry' ? entryLines(ctx, block, room) : messageLines(ctx, block, room)
  const layout = ctx.use(TextLayout)
  return lines?.slice(0, MAX_LINES).map((line) => layout.cut(line, room.width))
}

function entryLines(
  ctx: PluginContext<undefined>,
  { entry }: Extract<BlockBody, { kind: 'entry' }>,
  room: { readonly width: number; readonly isUnfolded: boolean },
): readonly StyledLine[] | undefined {
  const all = ctx.all(EntryRenderers)
  const renderer = all.get(entry.kind)
  return renderer && all.attempt(renderer, () => renderer.lines(entry, room).slice(0, MAX_LINES), areLines)
}

function messageLines(
  ctx: PluginContext<undefined>,
  block: BlockBody,
  room: { readonly width: number; readonly isUnfolded: boolean },
): readonly StyledLine[] | undefined {
  const message = toMessage(block)
  if (!message) return undefined
  const all = ctx.all(MessageRenderers)
  for (const renderer of all.all()) {
    if (!renderer.kinds.includes(message.kind)) continue
    const lines = all.attempt(renderer, () => renderer.lines(message, room)?.slice(0, MAX_LINES), areLines)
    if (lines) return lines
  }
  return undefined
}

function toMessage(block: BlockBody): ShownMessage | undefined {
  if (block.kind === 'user') return { kind: 'user', text: block.text, isOpen: false }
  if (block.kind === 'said') return { kind: 'notice', text: block.text, isOpen: false }
  if (block.kind !== 'answer' && block.kind !== 'reasoning') return undefined
  return { kind: block.kind, text: block.text, isOpen: block.open }
}

function areLines(value: unknown): boolean {
  if (value === undefined) return true
  return Array.isArray(value) && value.every((line) => Array.isArray(line) && line.every(isSpan))
}

const isSpan = (span: { readonly text?: unknown } | null) => typeof span?.text === 'string'
