/** How the installation is: the checks of `svc doctor`, and the machine. */
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { bytes, number, t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Card, Loaded, Page } from '../ui/parts.tsx'

type Stats = ResultOf<'GET', '/api/system/stats'>

const icons = { ok: CircleCheck, warning: TriangleAlert, problem: CircleX }

export function SystemPage() {
  const health = useResource((signal) => api.get('/api/health', {}, signal), [])
  const stats = useResource((signal) => api.get('/api/system/stats', {}, signal), [], 5000)
  return (
    <Page title={t('System')} actions={<Button onClick={health.reload}>{t('Check again')}</Button>}>
      <Loaded from={stats}>{(data) => <Figures stats={data} />}</Loaded>
      <Card title={t('Checks')}>
        <Loaded from={health}>
          {({ checks }) => (
            <ul class="checks">
              {checks.map(({ check, title, findings }) => (
                <li key={check}>
                  <h3>{title}</h3>
                  {findings.map(({ state, text, fix }) => {
                    const Icon = icons[state]
                    return (
                      <p key={text} class={`finding ${state}`}>
                        <Icon size={15} aria-label={state} />
                        <span>
                          {text} {fix && <code>{fix}</code>}
                        </span>
                      </p>
                    )
                  })}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      <p>
        {t('Chat platforms')}: <Link href="/channels">{t('Channels')}</Link>
      </p>
    </Page>
  )
}

function Figures({ stats }: { stats: Stats }) {
  const { memory, disk, process } = stats
  const figures: readonly (readonly [string, string, string])[] = [
    [t('Version'), stats.svc_version, `Node ${stats.node_version}`],
    [t('Machine'), stats.hostname, `${stats.os} ${stats.os_release} ${stats.arch}`],
    [t('Load'), (stats.load_avg[0] ?? 0).toFixed(2), t('{count} processors', { count: stats.cpu_count })],
    [
      t('Memory'),
      bytes(process.rss),
      t('{free} of {total} free', { free: bytes(memory.available), total: bytes(memory.total) }),
    ],
    ...(disk ? [[t('Disk'), bytes(disk.free), t('of {total} free', { total: bytes(disk.total) })] as const] : []),
    [
      t('Running for'),
      t('{count} min', { count: number(Math.floor(process.uptime_seconds / 60)) }),
      `pid ${process.pid}`,
    ],
  ]
  return (
    <div class="cards">
      {figures.map(([title, value, detail]) => (
        <Card key={title}>
          <p class="dim">{title}</p>
          <p class="stat">{value}</p>
          <p class="dim">{detail}</p>
        </Card>
      ))}
    </div>
  )
}
