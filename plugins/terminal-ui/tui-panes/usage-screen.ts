/** `usage`: tokens and cost of this session, with a bar for each turn. */
import { createTranslator, type PluginContext, type Translate, type TurnEvent, type Usage } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { totalUsage } from 'svc/sdk/sessions'
import {
  formatCount,
  formatUsd,
  type OverlayView,
  type StyledLine,
  TextLayout,
  type TuiContext,
} from 'svc/sdk/terminal'
import { List, type Row } from './list.ts'
import { listScreen } from './list-screen.ts'
import { EventLog, every } from './live.ts'
import { matches, toPlainLine } from './text.ts'

const EVERY_MS = 1000
const BAR_SHARE = 0.25
const WIDEST_BAR = 40
/** Columns from which on the cost stands beside the tokens. */
const WITH_COST = 60
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

export function usageScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const layout = ctx.use(TextLayout)
  const { sessionId } = ui.conversation
  const log = new EventLog(ctx, sessionId)
  const costs = new TurnCosts()
  let total: Usage = {}
  const take = (events: readonly TurnEvent[]) => {
    costs.take(events)
    // The ledger knows more: what was asked on the side, and what was taken back.
    total = { ...costs.total(), ...ctx.find(Budgets)?.spent({ sessionId }) }
  }
  take(log.next())
  const list = new List<TurnCost>(
    layout,
    {
      title: t('Usage'),
      items: (filter) => costs.turns().filter(({ text }) => matches(text.toLowerCase(), filter.trim())),
      id: ({ turnId }) => turnId,
      row: (turn, width) => renderRow(layout, turn, { width, most: costs.most }),
      details: (turn, { width }) => {
        const clean = turn && { ...turn, model: toPlainLine(layout, turn.model) }
        return renderDetails(t, clean, total).flatMap((line) => layout.wrap(line, width))
      },
      detailRows: (rows) => Math.min(4, Math.floor(rows / 2)),
      empty: (filter) => (filter === '' ? t('No turns yet') : t('Nothing found')),
    },
    'list',
  )
  const close = every(ctx, EVERY_MS, () => {
    const events = log.next()
    if (events.length === 0) return
    take(events)
    list.changed()
    ui.redraw()
  })
  return listScreen<TurnCost>({ list, keys: () => t('/ filter · Esc close'), key: () => 'ignored', close })
}

function renderRow(layout: TextLayout, turn: TurnCost, { width, most }: { readonly width: number; most: number }): Row {
  const { number, text, usage } = turn
  const tokens = sumTokens(usage)
  const room = Math.min(WIDEST_BAR, Math.floor(width * BAR_SHARE))
  const bar = renderBar(most > 0 ? ((tokens ?? 0) / most) * room : 0)
  return {
    left: [{ text: `${number}. `, role: 'dim' }, { text: toPlainLine(layout, text, 300) }],
    right: [
      ...layout.pad([{ text: bar, role: 'accent' }], room),
      { text: (tokens === undefined ? '?' : formatCount(tokens)).padStart(7), role: 'number' },
      ...(width < WITH_COST ? [] : [{ text: formatCost(usage).padStart(9), role: 'dim' } as const]),
    ],
  }
}

function renderBar(cells: number): string {
  const whole = Math.floor(cells)
  return '█'.repeat(whole) + (EIGHTHS[Math.floor((cells - whole) * 8)] ?? '')
}

function formatCost({ costUsd, unpricedCalls }: Usage): string {
  if (costUsd === undefined) return unpricedCalls === undefined ? '' : '?'
  return `${formatUsd(costUsd)}${unpricedCalls === undefined ? '' : '+'}`
}

/** What all of it took, then the turn below the cursor. */
function renderDetails(t: Translate, turn: TurnCost | undefined, total: Usage): readonly StyledLine[] {
  const all: StyledLine = [{ text: t('All turns'), role: 'heading' }, { text: `  ${formatFacts(t, total)}` }]
  if (!turn) return [all]
  return [
    all,
    [
      { text: t('Turn {number}', { number: turn.number }), role: 'heading' },
      { text: `  ${turn.model} · ${formatFacts(t, turn.usage)}` },
    ],
  ]
}

function formatFacts(t: Translate, usage: Usage): string {
  const count = (tokens: number | undefined) => (tokens === undefined ? '?' : formatCount(tokens))
  const facts = [
    t('{count} read', { count: count(usage.input) }),
    t('{count} written', { count: count(usage.output) }),
    ...(usage.cachedInput ? [t('{count} cached', { count: count(usage.cachedInput) })] : []),
    ...(usage.reasoning ? [t('{count} reasoning', { count: count(usage.reasoning) })] : []),
    formatCost(usage),
  ]
  return facts.filter((fact) => fact !== '').join(' · ')
}

/** What a turn took. */
interface TurnCost {
  readonly turnId: string
  readonly number: number
  readonly text: string
  readonly model: string
  readonly usage: Usage
}

/** What each turn took, as the events tell; they are taken in order. */
class TurnCosts {
  readonly #turns = new Map<string, TurnCost>()
  #most = 0

  /** Tokens of the turn that took most. */
  get most(): number {
    return this.#most
  }

  take(events: readonly TurnEvent[]): void {
    for (const event of events) {
      const turn = this.#turns.get(event.turnId)
      if (event.type === 'turn.start') {
        const { turnId, text, model } = event
        this.#turns.set(turnId, { turnId, number: this.#turns.size + 1, text, model, usage: {} })
      } else if (event.type === 'usage' && turn) {
        const usage = totalUsage(turn.usage, event.usage)
        this.#turns.set(event.turnId, { ...turn, usage })
        this.#most = Math.max(this.#most, sumTokens(usage) ?? 0)
      }
    }
  }

  /** The newest first. */
  turns(): readonly TurnCost[] {
    return [...this.#turns.values()].reverse()
  }

  total(): Usage {
    return [...this.#turns.values()].reduce<Usage>((sum, { usage }) => totalUsage(sum, usage), {})
  }
}

/** Read and written; undefined if not counted. */
function sumTokens({ input, output }: Usage): number | undefined {
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
}
