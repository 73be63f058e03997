/** What model calls took: by day, model, session and purpose. A price that is not known is not shown as zero. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { dollars, number, t } from '../client/language.ts'
import { api } from '../client/typed.ts'
import type { ChartProps } from '../ui/chart.tsx'
import { lazy } from '../ui/lazy.tsx'
import { Card, Empty, Loaded, Page, Select, Table, Tabs } from '../ui/parts.tsx'

interface Group {
  readonly name: string
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number | null
  readonly unpriced_calls: number
}

interface Usage {
  readonly daily: readonly Group[]
  readonly by_model: readonly Group[]
  readonly by_provider: readonly Group[]
  readonly by_session: readonly Group[]
  readonly by_purpose: readonly Group[]
  readonly totals: Group
}

const Chart = lazy<ChartProps>(async () => (await import('../ui/chart.tsx')).Chart)

export function AnalyticsPage() {
  const days = useSignal('30')
  const usage = useResource(
    (signal) => api.get('/api/analytics/usage', { days: Number(days.value) }, signal),
    [days.value],
  )
  return (
    <Page
      title={t('Costs')}
      actions={
        <Select
          isHidden
          label={t('Period')}
          {...bind(days)}
          options={['7', '30', '90', '365'].map((count) => [count, t('{count} days', { count })] as const)}
        />
      }
    >
      <Loaded from={usage}>
        {(data) =>
          data.totals.calls === 0 ? (
            <Empty>{t('No model was asked yet.')}</Empty>
          ) : (
            <Figures usage={data} days={Number(days.value)} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Figures({ usage, days }: { usage: Usage; days: number }) {
  const { totals, daily } = usage
  const all = listDays(days).map(
    (name) => daily.find((day) => day.name === name) ?? { name, input_tokens: 0, output_tokens: 0 },
  )
  const table =
    (groups: readonly Group[], isSession = false) =>
    () => <Groups groups={groups} isSession={isSession} />
  return (
    <>
      <div class="cards">
        <Figure title={t('Cost')} value={price(totals)} />
        <Figure title={t('Calls')} value={number(totals.calls)} />
        <Figure title={t('Tokens in')} value={number(totals.input_tokens)} />
        <Figure title={t('Tokens out')} value={number(totals.output_tokens)} />
      </div>
      <Chart
        label={t('Tokens by day')}
        days={all.map(({ name }) => name)}
        series={[
          { label: t('Tokens in'), color: '--accent', values: all.map((day) => day.input_tokens) },
          { label: t('Tokens out'), color: '--string', values: all.map((day) => day.output_tokens) },
        ]}
      />
      <Tabs
        label={t('Costs')}
        tabs={[
          { id: 'model', label: t('By model'), body: table(usage.by_model) },
          { id: 'provider', label: t('By provider'), body: table(usage.by_provider) },
          { id: 'session', label: t('By session'), body: table(usage.by_session, true) },
          { id: 'purpose', label: t('By purpose'), body: table(usage.by_purpose) },
          { id: 'day', label: t('By day'), body: table(daily.toReversed()) },
        ]}
      />
    </>
  )
}

/** The days of a period, those without calls too. */
function listDays(count: number): readonly string[] {
  const today = Date.now()
  return Array.from({ length: count }, (_, at) =>
    new Date(today - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10),
  )
}

function Figure({ title, value }: { title: string; value: string }) {
  return (
    <Card>
      <p class="dim">{title}</p>
      <p class="stat">{value}</p>
    </Card>
  )
}

function price({ cost_usd: cost, unpriced_calls: unpriced }: Group): string {
  if (cost === null) return t('unknown')
  return unpriced > 0 ? `≥ ${dollars(cost)}` : dollars(cost)
}

function Groups({ groups, isSession }: { groups: readonly Group[]; isSession: boolean }) {
  return (
    <Table label={t('Costs')} head={[t('Name'), t('Calls'), t('Tokens in'), t('Tokens out'), t('Cost')]}>
      {groups.map((group) => (
        <tr key={group.name}>
          <td>{isSession ? <Link href={`/sessions/${group.name}`}>{group.name}</Link> : group.name}</td>
          <td>{number(group.calls)}</td>
          <td>{number(group.input_tokens)}</td>
          <td>{number(group.output_tokens)}</td>
          <td>{price(group)}</td>
        </tr>
      ))}
    </Table>
  )
}
