/** The model that answers, those of side work, and all there are. */
import { useSignal } from '@preact/signals'
import { ModelList } from '../chat/model-picker.tsx'
import { useResource } from '../client/api.ts'
import { number, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { MixturesCard } from '../models/mixtures.tsx'
import { Badge, Button, Card, Dialog, Loaded, Page, Table } from '../ui/parts.tsx'

interface Info {
  readonly ok: boolean
  readonly provider: string | null
  readonly model: string | null
  readonly source: string | null
  readonly error: string | null
  readonly capabilities: {
    readonly context_window: number | null
    readonly max_output_tokens: number | null
    readonly vision: boolean | null
    readonly reasoning: boolean | null
    readonly input_price: number | null
    readonly output_price: number | null
  } | null
}

export function ModelsPage() {
  const info = useResource((signal) => api.get('/api/model/info', {}, signal), [])
  const slots = useResource((signal) => api.get('/api/model/auxiliary', {}, signal), [])
  const options = useResource((signal) => api.get('/api/model/options', {}, signal), [])
  /** The slot that is being chosen; empty: the main model. */
  const choosing = useSignal<string | undefined>(undefined)
  const choose = async (provider: string | null, model: string | null, task = choosing.value) => {
    choosing.value = undefined
    const scope = task ? { scope: 'auxiliary' as const, task } : { scope: 'main' as const }
    await attempt(() => api.post('/api/model/set', { ...scope, provider, model }), t('Saved'))
    info.reload()
    slots.reload()
  }
  const pick = (task: string) => () => {
    choosing.value = task
  }
  return (
    <Page title={t('Models')}>
      <Loaded from={info}>{(data) => <MainModel info={data} pick={pick('')} />}</Loaded>
      <Card title={t('Side work')}>
        <Loaded from={slots}>
          {({ tasks }) => (
            <Table label={t('Side work')} head={[t('For'), t('Model'), '']}>
              {tasks.map(({ task, provider, model }) => (
                <tr key={task}>
                  <td>{task.replaceAll('_', ' ')}</td>
                  <td>
                    {[provider, model].filter(Boolean).join(' · ') || <span class="dim">{t('as it is best')}</span>}
                  </td>
                  <td class="actions">
                    <Button onClick={pick(task)}>{t('Choose')}</Button>
                    {(provider ?? model) && <Button onClick={() => choose(null, null, task)}>{t('Reset')}</Button>}
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </Loaded>
      </Card>
      <MixturesCard options={options.data} changed={options.reload} />
      <Card title={t('Providers')}>
        <Loaded from={options}>
          {({ providers }) => (
            <Table label={t('Providers')} head={[t('Provider'), t('State'), t('Models')]}>
              {providers.map(({ slug, name, models, authenticated, warning }) => (
                <tr key={slug}>
                  <td>{name}</td>
                  <td>
                    <Badge tone={authenticated ? 'ok' : ''}>{authenticated ? t('ready') : t('not connected')}</Badge>{' '}
                    {warning && <span class="dim">{warning}</span>}
                  </td>
                  <td>{number(models.length)}</td>
                </tr>
              ))}
            </Table>
          )}
        </Loaded>
      </Card>
      {choosing.value !== undefined && (
        <Dialog
          title={t('Choose a model')}
          onClose={() => {
            choosing.value = undefined
          }}
        >
          <ModelList
            chosen={info.data?.model ?? undefined}
            choose={(provider, model) => void choose(provider, model)}
          />
        </Dialog>
      )}
    </Page>
  )
}

function MainModel({ info, pick }: { info: Info; pick: () => void }) {
  const { capabilities: can } = info
  return (
    <Card
      title={t('The model that answers')}
      tone={info.ok ? '' : 'warning'}
      actions={
        <Button kind="primary" onClick={pick}>
          {t('Choose')}
        </Button>
      }
    >
      {info.ok ? <p class="stat">{info.model}</p> : <p class="prose">{info.error}</p>}
      <p class="actions">
        {info.provider && <Badge>{info.provider}</Badge>}
        {info.source && <Badge>{info.source}</Badge>}
        {can?.context_window && <Badge>{t('{count} tokens of context', { count: number(can.context_window) })}</Badge>}
        {can?.vision && <Badge>{t('sees pictures')}</Badge>}
        {can?.reasoning && <Badge>{t('reasons')}</Badge>}
        {can?.input_price != null && <Badge>{`$${can.input_price} / $${can.output_price ?? '?'} per 1M`}</Badge>}
      </p>
    </Card>
  )
}
