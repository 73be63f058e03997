/** The bar at the bottom: the model, how full its window is, what it costs, what is under way. */
import type { Translate } from 'svc/sdk'
import {
  formatCount,
  formatDuration,
  formatUsd,
  type StyledLine,
  type StyledSpan,
  type TextLayout,
  type ThemeColor,
} from 'svc/sdk/terminal'

/** What the bar tells. */
export interface StatusFacts {
  readonly model: string
  readonly contextTokens: number | undefined
  /** Tokens the model can read. */
  readonly window: number | undefined
  /** US dollars of the session; undefined when it is not to be shown. */
  readonly cost: number | undefined
  /** Milliseconds of the turn under way. */
  readonly elapsed: number | undefined
  readonly queued: number
  /** What plugins add that must be seen also where there is little room. */
  readonly urgent: readonly StyledLine[]
  /** Names of parts of this bar that are left out. */
  readonly hidden?: ReadonlySet<string>
  /** What else they add, the most important first. */
  readonly items: readonly StyledLine[]
}

const MODEL_CELLS = 26
const MEDIUM_FROM = 52
const FULL_FROM = 76
const BAR_CELLS = 8

/** Exactly as wide as asked. What is least important goes when there is little room. */
export function statusLine(facts: StatusFacts, width: number, layout: TextLayout, t: Translate): StyledLine {
  const separator: StyledLine = [{ text: ' │ ', role: 'status-dim' }]
  let line: StyledLine = [{ text: width < MEDIUM_FROM ? '' : ' ', role: 'status' }]
  let isFirst = true
  for (const part of renderParts(facts, width, layout, t)) {
    const longer = [...line, ...(isFirst ? [] : separator), ...part]
    if (!isFirst && layout.lineWidth(longer) > width) continue
    line = longer
    isFirst = false
  }
  const inRole = line.map((span) => (span.role === undefined ? { ...span, role: 'status' as const } : span))
  const gap = width - layout.lineWidth(inRole)
  return gap > 0 ? [...inRole, { text: ' '.repeat(gap), role: 'status' }] : layout.cut(inRole, width)
}

/** In the order in which they stand and are left out. */
function renderParts(facts: StatusFacts, width: number, layout: TextLayout, t: Translate): readonly StyledLine[] {
  const { contextTokens, window, cost, elapsed, queued, urgent, items } = facts
  const isMedium = width >= MEDIUM_FROM
  const isFull = width >= FULL_FROM
  const say = (text: string, role: ThemeColor = 'status'): StyledLine => [{ text, role }]
  const used = contextTokens === undefined || window === undefined ? undefined : (100 * contextTokens) / window
  const total = window === undefined ? '' : `/${formatCount(window)}`
  const isShown = (name: string) => !facts.hidden?.has(name)
  const parts = [
    isShown('model') && layout.cut(say(layout.clean(facts.model, 'visible')), Math.min(MODEL_CELLS, width)),
    ...urgent,
    isShown('tokens') &&
      isMedium &&
      contextTokens !== undefined &&
      say(
        window === undefined
          ? t('{count} tokens', { count: formatCount(contextTokens) })
          : `${formatCount(contextTokens)}${total}`,
      ),
    isShown('context') && used !== undefined && gauge(used, isFull ? BAR_CELLS : 0),
    isShown('elapsed') && elapsed !== undefined && say(formatDuration(elapsed)),
    isShown('queue') &&
      isMedium &&
      queued > 0 &&
      say(t('{count, plural, one {# queued} other {# queued}}', { count: queued })),
    isShown('cost') && isMedium && cost !== undefined && say(formatUsd(cost)),
    ...(isFull ? items : []),
  ]
  return parts.filter((part) => part !== false)
}

function gauge(percent: number, cells: number): StyledLine {
  const role = percent > 80 ? 'status-bad' : percent >= 50 ? 'status-warning' : 'status-good'
  const filled = Math.min(cells, Math.round((percent * cells) / 100))
  const bar: StyledSpan[] = cells
    ? [
        { text: '█'.repeat(filled), role },
        { text: `${'░'.repeat(cells - filled)} `, role: 'status-dim' },
      ]
    : []
  return [...bar, { text: `${Math.round(percent)}%`, role }]
}
