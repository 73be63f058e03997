/** The curator of the skills that the agent wrote: its state, its proposals, a pass now, and the way back from the archive. */
import { useSignal } from '@preact/signals'
import { Pause, Play, WandSparkles } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { ago, dateTime, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Loaded } from '../ui/parts.tsx'
import { Progress, useAction } from './followed.tsx'

type Curator = ResultOf<'GET', '/api/curator'>
type Proposal = Curator['proposals'][number]

export function CuratorCard() {
  const state = useResource((signal) => api.get('/api/curator', {}, signal), [])
  const { action, isBusy, begin } = useAction(state.reload)
  const asked = useSignal<Proposal | undefined>(undefined)
  const change = async (work: () => Promise<unknown>) => {
    await attempt(work)
    state.reload()
  }
  const paused = state.data?.paused === true
  return (
    <Card
      title={t('Skills of the agent')}
      actions={
        <>
          <Button
            icon={paused ? Play : Pause}
            onClick={() => change(() => api.put('/api/curator/paused', { paused: !paused }))}
          >
            {paused ? t('Resume') : t('Pause')}
          </Button>
          <Button icon={WandSparkles} disabled={isBusy} onClick={() => begin(() => api.post('/api/curator/run', {}))}>
            {t('Look now')}
          </Button>
        </>
      }
    >
      <Loaded from={state}>
        {(data) => (
          <div class="operation">
            <p>
              <Badge tone={data.enabled && !data.paused ? 'ok' : 'warning'}>
                {data.paused ? t('paused') : data.enabled ? t('active') : t('off')}
              </Badge>{' '}
              <span class="dim">
                {data.last_run_at === null
                  ? t('There was no pass yet.')
                  : t('The last pass: {time}', { time: ago(data.last_run_at) })}
              </span>
            </p>
            <ul class="checks">
              {data.proposals.map((proposal) => (
                <li key={proposal.id}>
                  {describe(proposal)} <span class="dim">{proposal.reason}</span>{' '}
                  <Button kind="quiet" onClick={() => (asked.value = proposal)}>
                    {t('Do it')}
                  </Button>
                </li>
              ))}
              {data.archived.map(({ name, at }) => (
                <li key={`${name} ${at}`}>
                  {t('{name} is in the archive', { name })} <span class="dim">{dateTime(at)}</span>{' '}
                  <Button
                    kind="quiet"
                    onClick={() => change(() => api.post('/api/curator/archive/:name/restore', {}, { name }))}
                  >
                    {t('Bring back')}
                  </Button>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
      {action && <Progress action={action} label={t('Result: {name}', { name: t('Skills of the agent') })} />}
      {asked.value && (
        <Confirm
          title={describe(asked.value)}
          text={asked.value.reason}
          action={t('Do it')}
          onConfirm={() => change(() => api.post('/api/curator/proposals/:id', {}, { id: String(asked.value?.id) }))}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </Card>
  )
}

function describe({ kind, skill, into }: Proposal): string {
  return kind === 'merge'
    ? t('Merge {skill} into {into}', { skill, into: into ?? '' })
    : t('Archive {skill}', { skill })
}
