/** Calls of tools as lines. */
import type { ToolCallView } from 'svc/sdk'
import { describeCall, isCallShown } from 'svc/sdk/kit/views'
import { formatDuration, type StyledLine, type ThemeColor, type ToolCallDisplay } from 'svc/sdk/terminal'
import { oneLine, type RenderContext, renderPlain, tidy } from './render-context.ts'
import type { Block } from './state.ts'

type ToolBlock = Extract<Block, { kind: 'tool' }>

const BODY_LINES = 200
const INPUT_LINES = 10
const INLINE_LINES = 60
const ERROR_LINES = 3
const QUESTION_LINES = 4

/** How far something is. */
export const glyphs = {
  wanted: ['○', 'dim'],
  running: ['●', 'accent'],
  done: ['✓', 'ok'],
  failed: ['✗', 'error'],
} as const satisfies Record<ToolCallDisplay['state'], readonly [string, ThemeColor]>

/** The call, what people said to it, and as much of what came of it as is wanted. */
export function callLines(
  block: ToolBlock,
  look: RenderContext,
  width: number,
  flipped: boolean,
): readonly StyledLine[] {
  const { call, reply, decision } = block
  const { tool_progress: shown } = look.settings
  if (reply && call.state !== 'failed' && !flipped) return replyLines(reply, look, width)
  const isKept = decision !== undefined || reply !== undefined
  if (!isKept && !isCallShown(block, shown)) return []
  const view = look.view(call.name)
  const line = callLine(block, look, view, width)
  const isUnfolded = (shown === 'verbose') !== flipped
  // What the model is told of a denial is for the model.
  if (decision?.choice === 'deny')
    return isUnfolded ? [line, ...renderPlain(decision.action, 'dim', width - 2, look, BODY_LINES)] : [line]
  return [line, ...(isUnfolded ? bodyLines(call, look, view, width) : inlineLines(call, look, view, width))]
}

/** A question to people, with its answer. */
export function replyLines(
  { question, answer }: NonNullable<ToolBlock['reply']>,
  look: RenderContext,
  width: number,
): readonly StyledLine[] {
  const asked = renderPlain(`? ${question}`, 'accent', width, look, QUESTION_LINES)
  return [...asked, ...renderPlain(`→ ${answer}`, 'user', width, look, QUESTION_LINES)]
}

/** What people decided, in a few words. */
export function decisionSpan({ choice, by }: NonNullable<ToolBlock['decision']>, { t, surface }: RenderContext) {
  const how = { once: t('once'), session: t('for this session'), project: t('for this project'), always: t('always') }[
    choice
  ]
  const isHere = by === '' || by === surface
  const allowed = t('allowed {how}', { how: how ?? choice })
  if (choice !== 'deny') return { text: isHere ? allowed : `${allowed} (${by})`, role: 'ok' } as const
  if (by === 'interrupted') return { text: t('interrupted'), role: 'warning' } as const
  const said = isHere ? t('denied') : t('denied by {by}', { by })
  return { text: said, role: 'warning' } as const
}

/** What a gate advises the model to do next is not for people. */
function failureText({ text = '', refusal }: ToolCallDisplay): string {
  return refusal?.kind === 'denied' && refusal.advice !== undefined ? `Not allowed: ${refusal.reason}.` : text
}

/** What is seen of a call that is folded. */
function inlineLines(
  call: ToolCallDisplay,
  look: RenderContext,
  view: ToolCallView | undefined,
  width: number,
): readonly StyledLine[] {
  const inline = view?.inline?.(call)
  if (call.state === 'failed') {
    const words = inline?.kind === 'text' ? inline.text : failureText(call)
    return renderPlain(words, 'error', width - 2, look, ERROR_LINES)
  }
  if (!inline || (inline.kind === 'diff' && !look.settings.inline_diffs)) return []
  return partLines(inline, look, width - 2, INLINE_LINES)
}

function callLine(block: ToolBlock, look: RenderContext, view: ToolCallView | undefined, width: number): StyledLine {
  const { layout } = look
  const { call, decision } = block
  const [glyph, role] = glyphs[call.state]
  const title = oneLine(describeCall(block, view, look.now()).title, look)
  const notes = callNotes(block, look, view).map((text) => ({ text, role: 'dim' }) as const)
  const shown = decision ? [decisionSpan(decision, look), ...notes] : notes
  const spans = shown.flatMap(({ text, role: tone }): StyledLine => {
    return [
      { text: ' · ', role: 'dim' },
      { text: oneLine(text, look), role: tone },
    ]
  })
  const head: StyledLine = [
    { text: `${glyph} `, role },
    { text: call.name, role: 'tool' },
  ]
  const tail = layout.cut(spans, width >> 1)
  const room = width - layout.lineWidth(head) - layout.lineWidth(tail)
  const middle = title && room > 4 ? layout.cut([{ text: ` ${title}`, role: 'text' }], room) : []
  return layout.cut([...head, ...middle, ...tail], width)
}

/** How far it is, how long it ran, how much it gave. */
function callNotes(
  block: ToolBlock,
  { t, now, settings }: RenderContext,
  view: ToolCallView | undefined,
): readonly string[] {
  if (block.decision?.choice === 'deny') return []
  const { progress, ms, lines } = describeCall(block, view, now())
  return [
    ...(progress === undefined ? [] : [progress]),
    ...(ms === undefined || !settings.tool_time ? [] : [formatDuration(ms)]),
    ...(lines > 1 ? [t('{count, plural, one {# line} other {# lines}}', { count: lines })] : []),
  ]
}

function bodyLines(
  call: ToolCallDisplay,
  look: RenderContext,
  view: ToolCallView | undefined,
  width: number,
): readonly StyledLine[] {
  const body = view?.body?.(call)
  if (body) return partLines(body, look, width - 2, BODY_LINES)
  const input = typeof call.input === 'string' ? call.input : (JSON.stringify(call.input, undefined, 2) ?? '')
  const role = call.state === 'failed' ? 'error' : 'text'
  return [
    ...(input === '{}' ? [] : renderPlain(input, 'dim', width - 2, look, INPUT_LINES)),
    ...(call.text ? renderPlain(call.text, role, width - 2, look, BODY_LINES) : []),
  ]
}

function partLines(
  part: { readonly kind: 'markdown' | 'diff' | 'text'; readonly text: string },
  look: RenderContext,
  width: number,
  most: number,
): readonly StyledLine[] {
  const { layout, markdown, t } = look
  const room = Math.max(1, width)
  if (part.kind === 'text') return renderPlain(part.text, 'text', room, look, most)
  const text = tidy(part.text, layout)
  const lines = part.kind === 'diff' ? markdown.diff(text, room) : markdown.lines(text, room)
  if (lines.length <= most) return lines
  const count = lines.length - most
  const said = `… ${t('{count, plural, one {# more line} other {# more lines}}', { count })}`
  return [...lines.slice(0, most), layout.cut([{ text: said, role: 'dim' }], room)]
}
