/** What became of a message, from its arrival to its delivery: `svc why`, and messages that wait to be delivered. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useResource } from '../client/api.ts'
import { ago, dateTime, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Badge, Button, Card, Empty, Loaded, Page, Table } from '../ui/parts.tsx'

const tones: Readonly<Record<string, string>> = { delivered: 'ok', failed: 'error', uncertain: 'warning' }

export function TracePage() {
  const typed = useSignal('')
  const [id, setId] = useState<string>()
  const look = (event: Event) => {
    event.preventDefault()
    if (typed.value.trim() !== '') setId(typed.value.trim())
  }
  return (
    <Page title={t('Trace')}>
      <form class="filters" onSubmit={look}>
        <input
          class="input"
          type="search"
          aria-label={t('Id of a message, a turn or a delivery')}
          placeholder={t('Id of a message, a turn or a delivery')}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
        <Button type="submit" kind="primary">
          {t('Why?')}
        </Button>
      </form>
      {id !== undefined && <Stages key={id} id={id} />}
      <Deliveries look={setId} />
    </Page>
  )
}

function Stages({ id }: { id: string }) {
  const why = useResource((signal) => api.get('/api/why/:id', { id }, signal), [id])
  return (
    <Card title={t('What became of {id}', { id })}>
      <Loaded from={why}>
        {({ stages }) => (
          <ol class="stages">
            {stages.map(({ at, stage, text }) => (
              <li key={`${at}-${stage}-${text}`}>
                <time class="dim">{dateTime(at)}</time> <strong>{stage}</strong> <span dir="auto">{text}</span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  )
}

function Deliveries({ look }: { look: (id: string) => void }) {
  const outbox = useResource((signal) => api.get('/api/outbox', { limit: 100 }, signal), [], 5000)
  const change = (work: () => Promise<unknown>) => attempt(work).then(outbox.reload)
  return (
    <Card title={t('Messages that leave')}>
      <Loaded from={outbox}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty>{t('Nothing was sent to a chat.')}</Empty>
          ) : (
            <Table label={t('Messages that leave')} head={[t('Message'), t('To'), t('State'), t('When'), '']}>
              {deliveries.map(({ id, platform, chat_id: chat, state, error, trace, preview, at }) => (
                <tr key={id}>
                  <td dir="auto">
                    {preview} {error && <p class="dim">{error}</p>}
                  </td>
                  <td>{`${platform} ${chat}`}</td>
                  <td>
                    <Badge tone={tones[state] ?? ''}>{state}</Badge>
                  </td>
                  <td>{ago(at)}</td>
                  <td class="actions">
                    {trace && <Button onClick={() => look(trace)}>{t('Why?')}</Button>}
                    {(state === 'failed' || state === 'uncertain') && (
                      <>
                        <Button onClick={() => change(() => api.post('/api/outbox/:id/retry', undefined, { id }))}>
                          {t('Send again')}
                        </Button>
                        <Button kind="danger" onClick={() => change(() => api.remove('/api/outbox/:id', { id }))}>
                          {t('Give up')}
                        </Button>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}
