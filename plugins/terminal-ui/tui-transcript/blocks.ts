/** Each block of the transcript as lines. */
import { stripAttachments } from 'svc/sdk/sessions'
import {
  formatCount,
  formatDuration,
  formatTime,
  formatUsd,
  type MarkdownStream,
  type StyledLine,
  type ThemeColor,
} from 'svc/sdk/terminal'
import { callLines, decisionSpan, glyphs, replyLines } from './calls.ts'
import { oneLine, type RenderContext, renderPlain, tidy } from './render-context.ts'
import type { Block, Subagent } from './state.ts'

/** A block laid out. The lines stand behind `first` and `rest`, which are put there when they are seen. */
export interface Laid {
  readonly lines: readonly StyledLine[]
  readonly first: StyledLine
  readonly rest: StyledLine
  /** Blank lines above it. */
  readonly gap: number
}

/** How it is wanted. */
export interface BlockOptions {
  readonly width: number
  /** The user toggled its default state: folded or unfolded. */
  readonly flipped: boolean
  readonly before: Block | undefined
  readonly feed: Feed
}

const STREAMED_REASONING = 5
const KEPT_REASONING = 10
const FOLDED_LINES = 40
const UNFOLDED_LINES = 1000
const INDENT_FROM = 20

/** The answer that is being written: what came before is not laid out again. */
export class Feed {
  #id = -1
  #fed = 0
  #stream: MarkdownStream | undefined

  lines(
    block: { readonly id: number; readonly text: string },
    width: number,
    look: RenderContext,
  ): readonly StyledLine[] {
    if (this.#id !== block.id || !this.#stream) {
      this.#stream = look.markdown.stream()
      this.#id = block.id
      this.#fed = 0
    }
    // The second half of a character, or the line feed of a line's end, may still be on its way.
    const end = /[\ud800-\udbff\r]$/.test(block.text) ? block.text.length - 1 : block.text.length
    if (end > this.#fed) this.#stream.append(tidy(block.text.slice(this.#fed, end), look.layout))
    this.#fed = end
    return this.#stream.lines(width)
  }
}

/** Whether there is more to see of it. */
export function foldable({ kind }: Block): boolean {
  return kind === 'tool' || kind === 'reasoning' || kind === 'compressed' || kind === 'user' || kind === 'entry'
}

/** Lays a block out. */
export function layBlock(block: Block, look: RenderContext, wanted: BlockOptions): Laid {
  const [first, rest] = prefixes(block, look)
  const indent = wanted.width < INDENT_FROM ? 0 : look.layout.lineWidth(first)
  const width = Math.max(1, wanted.width - indent)
  const lines = renderBlock(block, look, { ...wanted, width })
  return {
    lines,
    first: indent === 0 ? [] : first,
    rest: indent === 0 ? [] : rest,
    gap: lines.length === 0 || clings(block, wanted.before) ? 0 : 1,
  }
}

const small = new Set<Block['kind']>(['tool', 'approval', 'clarify', 'agents', 'image', 'end'])

/** Whether it stands directly below the one before it. */
function clings(block: Block, before: Block | undefined): boolean {
  if (!before) return true
  return block.kind === 'end' || (small.has(block.kind) && small.has(before.kind) && before.kind !== 'end')
}

function prefixes(block: Block, { skin }: RenderContext): readonly [StyledLine, StyledLine] {
  const mark = (text: string, role: ThemeColor, under = '  '): readonly [StyledLine, StyledLine] => [
    [{ text: `${text} `, role }],
    [{ text: under, role: 'dim' }],
  ]
  switch (block.kind) {
    case 'banner':
      return [[], []]
    case 'user':
    case 'typed':
      return mark(skin.branding.prompt, block.kind === 'user' ? 'prompt' : 'dim')
    case 'steer':
      return mark('↳', 'prompt')
    case 'tool': {
      const deep = '  '.repeat(Math.min(block.depth, 4))
      return mark(`${deep}${skin.toolPrefix}`, 'dim', `${deep}${skin.toolPrefix}   `)
    }
    case 'reasoning':
      return mark('∴', 'reasoning')
    case 'notice':
      return block.tone === 'error' ? mark('✗', 'error') : mark('·', block.tone === 'warning' ? 'warning' : 'dim')
    default:
      return mark(' ', 'dim')
  }
}

function renderBlock(block: Block, look: RenderContext, wanted: BlockOptions): readonly StyledLine[] {
  const { width, flipped } = wanted
  const custom = look.custom?.(block, { width, isUnfolded: flipped })
  if (custom) return custom
  switch (block.kind) {
    case 'banner':
      return look.banner(width)
    case 'user':
    case 'steer':
      return userLines(block, look, width, flipped)
    case 'typed':
      return renderPlain(block.text, 'dim', width, look, 5)
    case 'answer':
      if (block.open) return wanted.feed.lines(block, width, look)
      return look.markdown.lines(tidy(block.text, look.layout), width)
    case 'reasoning':
      return reasoningLines(block, look, width, flipped)
    case 'tool':
      return callLines(block, look, width, flipped)
    case 'agents':
      return block.agents.flatMap((agent, at) => agentLine(agent, at === block.agents.length - 1, look, width))
    case 'said':
      return look.markdown.lines(tidy(block.text, look.layout), width)
    case 'entry':
      return look.markdown.lines(tidy(block.entry.text, look.layout), width)
    default:
      return markLines(block, look, width, flipped)
  }
}

/** What is said in a line or two. */
function markLines(block: Block, look: RenderContext, width: number, flipped: boolean): readonly StyledLine[] {
  const { t } = look
  switch (block.kind) {
    case 'notice': {
      const role = block.tone === 'info' ? 'dim' : block.tone
      return renderPlain(block.code ? `${block.text} (${block.code})` : block.text, role, width, look, FOLDED_LINES)
    }
    case 'approval': {
      const { text, role } = decisionSpan(block, look)
      return renderPlain(
        `${block.choice === 'deny' ? '✗' : '✓'} ${text}: ${oneLine(block.action, look)}`,
        role,
        width,
        look,
        2,
      )
    }
    case 'clarify':
      return replyLines(block, look, width)
    case 'image': {
      const size = `${formatCount(block.bytes)}B`
      return renderPlain(`▣ ${t('picture')} ${block.mediaType} · ${size}`, 'accent', width, look, 1)
    }
    case 'compressed': {
      const figures = { before: formatCount(block.before), after: formatCount(block.after) }
      const mark = renderPlain(`── ${t('compressed: {before} → {after} tokens', figures)} ──`, 'dim', width, look, 2)
      return flipped ? [...mark, ...look.markdown.lines(tidy(block.text, look.layout), width)] : mark
    }
    case 'end':
      return endLines(block, look, width)
    default:
      return []
  }
}

function userLines(
  block: Extract<Block, { kind: 'user' | 'steer' }>,
  look: RenderContext,
  width: number,
  flipped: boolean,
): readonly StyledLine[] {
  const { text, attached } = stripAttachments(block.text)
  const lines = [...renderPlain(text, 'user', width, look, flipped ? UNFOLDED_LINES : FOLDED_LINES)]
  if (attached.length > 0) lines.push(...renderPlain(`+ ${attached.join(', ')}`, 'dim', width, look, 1))
  if (block.kind === 'steer') return lines
  const notes = [
    ...(block.images ? [look.t('{count, plural, one {# picture} other {# pictures}}', { count: block.images })] : []),
    ...(look.settings.timestamps && block.at !== undefined ? [formatTime(block.at)] : []),
  ]
  if (notes.length) lines.push(look.layout.cut([{ text: notes.join(' · '), role: 'dim' }], width))
  return lines
}

function reasoningLines(
  block: Extract<Block, { kind: 'reasoning' | 'answer' }>,
  look: RenderContext,
  width: number,
  flipped: boolean,
): readonly StyledLine[] {
  if (!look.settings.show_reasoning) return []
  if (!block.open) return renderPlain(block.text, 'reasoning', width, look, flipped ? UNFOLDED_LINES : KEPT_REASONING)
  // Only the end is seen, so only the end is laid out; it starts at a place that does not move with each word.
  const room = STREAMED_REASONING * width * 4
  const start = Math.max(0, Math.floor((block.text.length - room) / room) * room)
  return renderPlain(block.text.slice(start), 'reasoning', width, look, UNFOLDED_LINES).slice(-STREAMED_REASONING)
}

function agentLine(
  { goal, state, text }: Subagent,
  isLast: boolean,
  look: RenderContext,
  width: number,
): readonly StyledLine[] {
  const [glyph, role] = glyphs[state]
  const line: StyledLine = [
    { text: isLast ? '└─ ' : '├─ ', role: 'dim' },
    { text: `${glyph} `, role },
    { text: oneLine(goal, look), role: 'tool' },
    ...(text ? [{ text: ` · ${oneLine(text, look)}`, role: 'dim' } as const] : []),
  ]
  return [look.layout.cut(line, width)]
}

function endLines(block: Extract<Block, { kind: 'end' }>, look: RenderContext, width: number): readonly StyledLine[] {
  const { t, settings } = look
  const { reason, usage, ms, at } = block
  if (reason === 'crashed') return renderPlain(t('svc stopped in the middle of this turn.'), 'warning', width, look, 2)
  const parts = [
    ...(reason === 'interrupted' ? [t('interrupted')] : []),
    ...(settings.timestamps && at !== undefined ? [formatTime(at)] : []),
    ...((settings.timestamps || settings.show_cost) && ms !== undefined ? [formatDuration(ms)] : []),
    ...(settings.show_cost && usage.input !== undefined
      ? [`↑${formatCount(usage.input)} ↓${formatCount(usage.output ?? 0)}`]
      : []),
    ...(settings.show_cost && usage.costUsd !== undefined ? [formatUsd(usage.costUsd)] : []),
  ]
  if (parts.length === 0) return []
  return renderPlain(parts.join(' · '), reason === 'interrupted' ? 'warning' : 'dim', width, look, 2)
}
