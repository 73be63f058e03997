/** `/usage`: what this conversation took; `/insights`: what all of them took, day by day. */
import {
  type Clock,
  type Conversation,
  Models,
  type PluginContext,
  type Session,
  Sessions,
  type SlashCommand,
  type Translate,
  type Usage,
} from 'svc/sdk'
import type { Budgets, UsageTotals } from 'svc/sdk/safety'
import { formatCount, formatUsd } from 'svc/sdk/terminal'
import type { Config } from './config.ts'
import type { Ledger, Summary } from './ledger.ts'
import type { Scope } from './scopes.ts'

const DAY_MS = 86_400_000
const BAR_CELLS = 20
/** As long as in the status bar. */
const GAUGE_CELLS = 8
const ROWS = 8
const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/** What the commands read. */
export interface UsageDeps {
  readonly ctx: PluginContext<Config>
  readonly budgets: () => Budgets
  readonly ledger: Ledger
  readonly clock: () => Clock
  readonly t: Translate
  standings(sessionId: string): readonly (Scope & { readonly spent: UsageTotals })[]
}

export function usageCommands(deps: UsageDeps): SlashCommand[] {
  const { t } = deps
  return [
    {
      name: 'usage',
      description: 'Show tokens, cost and remaining context',
      category: 'Info',
      run: async (_args, { conversation }) => usage(deps, conversation),
    },
    {
      name: 'budget',
      description: 'Show caps, and what is spent of them',
      category: 'Info',
      run: async (_args, { conversation }) => budget(deps, conversation.sessionId),
    },
    {
      name: 'insights',
      description: 'Show usage of the last days',
      category: 'Info',
      argsHint: '[days]',
      async run(args) {
        if (args && !/^[1-9]\d{0,2}$/.test(args)) return t('Type how many days: /insights 7')
        return insights(deps, Math.min(MAX_DAYS, Number(args || DEFAULT_DAYS)))
      },
    },
  ]
}

async function usage({ ctx, budgets, t }: UsageDeps, { sessionId, settings }: Conversation): Promise<string> {
  const spent = budgets().spent({ sessionId })
  const { provider, model } = settings
  const choice = await ctx.use(Models).choose({ ...(provider && { provider }), ...(model && { model }) })
  const { contextWindow } = ctx.use(Models).describe({ provider: choice.provider.name, model: choice.model })
  const sessions = ctx.find(Sessions)
  const context = sessions && contextTokens(sessions.open(sessionId))
  return [
    `- ${t('Model')}: ${choice.model}, ${choice.provider.label}`,
    `- ${t('Model calls')}: ${number(spent.modelCalls)}`,
    `- ${t('Tokens read')}: ${number(spent.input)}${spent.cachedInput ? ` (${t('{count} from the cache', { count: number(spent.cachedInput) })})` : ''}`,
    `- ${t('Tokens written')}: ${number(spent.output)}`,
    `- ${t('Cost')}: ${cost(spent, t)}`,
    ...(context === undefined ? [] : [`- ${t('Context')}: ${room(context, contextWindow)}`]),
  ].join('\n')
}

/** Those of the configuration and those that plugins have opened for work of theirs. */
function budget({ standings, t }: UsageDeps, sessionId: string): string {
  const lines = standings(sessionId).map(({ label, caps, spent }) => {
    const tokens = (spent.input ?? 0) + (spent.output ?? 0)
    const parts = [
      ...(caps.usd === undefined ? [] : [`${cost({ costUsd: 0, ...spent }, t)} / ${formatUsd(caps.usd)}`]),
      ...(caps.tokens === undefined
        ? []
        : [`${number(tokens)} / ${t('{count} tokens', { count: number(caps.tokens) })}`]),
      ...(caps.toolCalls === undefined ? [] : [t('at most {count} tool calls', { count: number(caps.toolCalls) })]),
      ...(caps.seconds === undefined ? [] : [t('at most {count} seconds', { count: number(caps.seconds) })]),
    ]
    return `- ${label}: ${parts.join(', ')}`
  })
  return lines.length > 0 ? lines.join('\n') : t('No cap holds here. Set one with svc config set budget.session.usd 2')
}

/** What the last call read and wrote: about what the next one reads. */
function contextTokens(session: Session): number | undefined {
  const last = session.events().findLast((event) => event.type === 'usage')
  if (last?.type !== 'usage' || last.usage.input === undefined) return undefined
  return last.usage.input + (last.usage.output ?? 0)
}

function room(used: number, window: number | undefined): string {
  if (!window) return number(used)
  const share = Math.min(1, used / window)
  const filled = Math.round(share * GAUGE_CELLS)
  const gauge = '█'.repeat(filled).padEnd(GAUGE_CELLS, '░')
  return `\`${gauge}\` ${Math.round(share * 100)}% (${number(used)}/${number(window)})`
}

function insights({ ctx, ledger, clock, t }: UsageDeps, days: number): string {
  const since = clock().now() - days * DAY_MS
  const byDay = [...ledger.summary('day', since)].sort((one, two) => (one.name < two.name ? -1 : 1))
  if (byDay.length === 0) return t('Nothing was used in the last {days, plural, one {day} other {# days}}.', { days })
  const byModel = ledger.summary('model', since)
  const known = ctx.find(Sessions)?.list({ usedAfter: since, limit: 10_000 }) ?? []
  const sessions = known.filter(({ messageCount }) => messageCount > 0)
  const messages = sessions.reduce((sum, { messageCount }) => sum + messageCount, 0)
  return [
    `**${t('The last {days, plural, one {day} other {# days}}', { days })}**: ${t(
      '{sessions, plural, one {# conversation} other {# conversations}}, {messages, plural, one {# message} other {# messages}}, {cost}',
      { sessions: sessions.length, messages, cost: cost(total(byDay), t) },
    )}`,
    chart(byDay, t('Tokens by day')),
    chart(byModel.slice(0, ROWS), t('Tokens by model')),
  ].join('\n\n')
}

/** A row for each, the longest bar for the largest. */
function chart(rows: readonly Summary[], title: string): string {
  const most = Math.max(1, ...rows.map(tokens))
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map((row) => `${row.name.padEnd(width)}  ${bar(tokens(row) / most)}  ${number(tokens(row))}`)
  return `${title}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``
}

/** Eighths of a cell, so that small differences are seen. */
function bar(share: number): string {
  const eighths = Math.round(share * BAR_CELLS * 8)
  const whole = '█'.repeat(Math.floor(eighths / 8))
  const rest = eighths % 8 ? (['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? '') : ''
  return `${whole}${rest}`.padEnd(BAR_CELLS)
}

const tokens = ({ input = 0, output = 0 }: Usage) => input + output
const number = (count: number | undefined) => (count === undefined ? '?' : formatCount(count))

function total(rows: readonly Summary[]): Usage {
  const known = rows.filter(({ costUsd }) => costUsd !== undefined)
  const unpricedCalls = rows.reduce((sum, row) => sum + (row.unpricedCalls ?? 0) + row.unsettled, 0)
  const costUsd = known.reduce((sum, row) => sum + (row.costUsd ?? 0), 0)
  return { ...(known.length > 0 && { costUsd }), unpricedCalls }
}

function cost({ costUsd, unpricedCalls = 0 }: Usage, t: Translate): string {
  const known = costUsd === undefined ? t('cost unknown') : formatUsd(costUsd)
  if (unpricedCalls === 0 || costUsd === undefined) return known
  return `${known} ${t('and {count, plural, one {# call} other {# calls}} of unknown price', { count: unpricedCalls })}`
}
