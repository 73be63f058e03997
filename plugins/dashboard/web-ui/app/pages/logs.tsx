/** Log files of the home, filtered and followed. */
import { useSignal } from '@preact/signals'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Empty, Loaded, Page, Select } from '../ui/parts.tsx'
import { SearchField } from '../ui/search-field.tsx'

type LogEntry = ResultOf<'GET', '/api/logs'>['entries'][number]

const FOLLOW_MS = 3000
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

export function LogsPage() {
  const [file, level, search] = [useSignal(''), useSignal(''), useSignal('')]
  const files = useResource((signal) => api.get('/api/logs/files', {}, signal), [])
  const query = {
    file: file.value,
    level: LEVELS.find((each) => each === level.value),
    search: search.value,
    lines: 500,
  }
  const log = useResource((signal) => api.get('/api/logs', query, signal), Object.values(query), FOLLOW_MS)
  return (
    <Page title={t('Logs')}>
      <div class="filters">
        <Select
          isHidden
          label={t('File')}
          {...bind(file)}
          options={[
            ['', t('All of svc')],
            ...(files.data?.files ?? []).map(({ name, title }) => [name, title || name] as const),
          ]}
        />
        <Select
          isHidden
          label={t('Level')}
          {...bind(level)}
          options={[['', t('Every level')], ...LEVELS.map((each) => [each, each] as const)]}
        />
        <SearchField words={search} />
      </div>
      <Loaded from={log}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>{t('Nothing was found.')}</Empty>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
            <pre class="log" tabIndex={0} dir="ltr">
              {entries.map((entry, at) => (
                <span key={`${entry.at}-${at}`} class={entry.level ?? ''}>
                  {formatEntry(entry)}
                  {'\n'}
                </span>
              ))}
            </pre>
          )
        }
      </Loaded>
    </Page>
  )
}

function formatEntry({ at, level, plugin, message, fields }: LogEntry): string {
  const time = at === null ? '' : new Date(at).toISOString().replace('T', ' ').slice(0, 19)
  const more = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
  return [time, level?.padEnd(5), plugin, message].filter(Boolean).join('  ') + more
}
