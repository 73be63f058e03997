/** Plugins: what runs, and why the rest does not. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Badge, Card, Loaded, Page, Select, Switch, Table } from '../ui/parts.tsx'
import { SearchField } from '../ui/search-field.tsx'

const tones: Readonly<Record<string, string>> = { started: 'ok', failed: 'error', refused: 'error', waiting: 'warning' }

export function PluginsPage() {
  const [search, kind] = [useSignal(''), useSignal('')]
  const listed = useResource((signal) => api.get('/api/plugins', {}, signal), [])
  return (
    <Page title={t('Plugins')}>
      <div class="filters">
        <SearchField words={search} />
        <Select
          isHidden
          label={t('Kind')}
          {...bind(kind)}
          options={[
            ['', t('Every kind')],
            ...[...new Set(listed.data?.plugins.map((each) => each.kind))].sort().map((each) => [each, each] as const),
          ]}
        />
      </div>
      <Loaded from={listed}>
        {({ plugins, problems, guards }) => (
          <>
            {problems.map((problem) => (
              <Card key={`${problem.plugin}-${problem.message}`} tone="error" title={problem.plugin}>
                <p>{problem.message}</p>
                <code class="dim">{problem.code}</code>
              </Card>
            ))}
            {guards
              .filter(({ state }) => state !== 'running' && state !== 'started')
              .map(({ plugin, state, reason }) => (
                <Card key={plugin} tone="warning" title={t('The guard {name} is {state}', { name: plugin, state })}>
                  <p>{reason}</p>
                </Card>
              ))}
            <Table label={t('Plugins')} head={[t('Name'), t('What it is'), t('State'), '']}>
              {plugins
                .filter((plugin) => kind.value === '' || plugin.kind === kind.value)
                .filter(({ name, description }) =>
                  `${name} ${description}`.toLowerCase().includes(search.value.toLowerCase()),
                )
                .map((plugin) => (
                  <tr key={plugin.name}>
                    <td>
                      <strong>
                        {plugin.origin === 'built-in' ? (
                          <Link href={`/docs/${plugin.name}`}>{plugin.name}</Link>
                        ) : (
                          plugin.name
                        )}
                      </strong>{' '}
                      {plugin.origin !== 'built-in' && <Badge>{plugin.origin}</Badge>}
                    </td>
                    <td>{plugin.description}</td>
                    <td>
                      <Badge tone={tones[plugin.status] ?? ''}>{plugin.status}</Badge>{' '}
                      {plugin.reason && <span class="dim">{plugin.reason}</span>}
                    </td>
                    <td>
                      {plugin.can_switch && (
                        <Switch
                          label={plugin.name}
                          isOn={!plugin.is_disabled}
                          onChange={(enabled) =>
                            attempt(() => api.put('/api/plugins/:name', { enabled }, { name: plugin.name })).then(
                              listed.reload,
                            )
                          }
                        />
                      )}
                    </td>
                  </tr>
                ))}
            </Table>
          </>
        )}
      </Loaded>
    </Page>
  )
}
