/** Scheduled jobs: what is due when, how runs went, and an editor. */
import { useSignal } from '@preact/signals'
import { History, Pause, Pencil, Play, Plus, Trash2, Zap } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link, useSearch } from 'wouter-preact'
import { type Resource, useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { ago, dateTime, dollars, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Blueprints } from '../cron/blueprints.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import {
  Badge,
  Button,
  Card,
  Confirm,
  Dialog,
  Empty,
  Field,
  Loaded,
  Page,
  Table,
  Tabs,
  TextField,
} from '../ui/parts.tsx'

type Job = ResultOf<'GET', '/api/cron/jobs'>['jobs'][number]

export function CronPage() {
  const jobs = useResource((signal) => api.get('/api/cron/jobs', {}, signal), [], 10_000)
  const creating = useToggle()
  const hasWanted = new URLSearchParams(useSearch()).has('blueprint')
  return (
    <Page
      title={t('Jobs')}
      actions={
        <Button icon={Plus} kind="primary" onClick={creating.on}>
          {t('New job')}
        </Button>
      }
    >
      <Tabs
        label={t('Jobs')}
        initial={hasWanted ? 'blueprints' : 'jobs'}
        tabs={[
          { id: 'jobs', label: t('Scheduled'), body: () => <JobList from={jobs} /> },
          { id: 'blueprints', label: t('Blueprints'), body: () => <Blueprints added={jobs.reload} /> },
        ]}
      />
      {creating.isOn && <JobDialog onClose={creating.off} done={jobs.reload} />}
    </Page>
  )
}

function JobList({ from }: { from: Resource<ResultOf<'GET', '/api/cron/jobs'>> }) {
  return (
    <Loaded from={from}>
      {({ jobs: list }) =>
        list.length === 0 ? (
          <Empty>{t('Nothing is scheduled. A job asks the agent something at set times.')}</Empty>
        ) : (
          <div class="cards">
            {list.map((job) => (
              <JobCard key={job.id} job={job} reload={from.reload} />
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

function JobCard({ job, reload }: { job: Job; reload: () => void }) {
  const [editing, removing, looking] = [useToggle(), useToggle(), useToggle()]
  const act = (word: 'pause' | 'resume' | 'trigger', done: string) =>
    attempt(() => api.post(`/api/cron/jobs/:id/${word}`, undefined, { id: job.id }), done).then(reload)
  const isPaused = job.state === 'paused'
  return (
    <Card title={job.name} actions={<Badge tone={job.state === 'scheduled' ? 'ok' : ''}>{job.state}</Badge>}>
      <p>{job.schedule.display}</p>
      <p class="dim">
        {job.next_run_at === null ? t('Not due again') : t('Next: {time}', { time: dateTime(job.next_run_at) })}
      </p>
      {job.paused_reason && <p class="dim">{job.paused_reason}</p>}
      <p class="clamp" dir="auto">
        {job.prompt}
      </p>
      {job.last_run && (
        <p>
          <Badge tone={job.last_run.error ? 'error' : 'ok'}>{job.last_run.status ?? job.last_run.outcome}</Badge>{' '}
          <span class="dim">{ago(job.last_run.due_at)}</span>
        </p>
      )}
      <p class="actions">
        <Button
          icon={Zap}
          kind="quiet"
          label={t('Run {name} now', { name: job.name })}
          onClick={() => act('trigger', t('Queued. A running gateway begins it.'))}
        />
        <Button
          icon={isPaused ? Play : Pause}
          kind="quiet"
          label={isPaused ? t('Resume {name}', { name: job.name }) : t('Pause {name}', { name: job.name })}
          onClick={() => act(isPaused ? 'resume' : 'pause', isPaused ? t('Resumed') : t('Paused'))}
        />
        <Button icon={Pencil} kind="quiet" label={t('Change {name}', { name: job.name })} onClick={editing.on} />
        <Button icon={History} kind="quiet" label={t('Runs of {name}', { name: job.name })} onClick={looking.on} />
        <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name: job.name })} onClick={removing.on} />
      </p>
      {editing.isOn && <JobDialog job={job} onClose={editing.off} done={reload} />}
      {looking.isOn && (
        <Dialog title={t('Runs of {name}', { name: job.name })} class="wide" onClose={looking.off}>
          <Runs id={job.id} />
        </Dialog>
      )}
      {removing.isOn && (
        <Confirm
          title={t('Remove {name}', { name: job.name })}
          text={t('It can be restored for 30 days.')}
          action={t('Remove')}
          onClose={removing.off}
          onConfirm={() => attempt(() => api.remove('/api/cron/jobs/:id', { id: job.id }), t('Removed')).then(reload)}
        />
      )}
    </Card>
  )
}

function Runs({ id }: { id: string }) {
  const runs = useResource((signal) => api.get('/api/cron/jobs/:id/runs', { id }, signal), [id])
  return (
    <Loaded from={runs}>
      {({ runs: list }) => (
        <Table label={t('Runs')} head={[t('When'), t('Outcome'), t('Result'), t('Cost')]}>
          {list.map((run) => (
            <tr key={`${run.due_at}-${run.started_at}`}>
              <td>{dateTime(run.due_at)}</td>
              <td>
                <Badge tone={run.error ? 'error' : ''}>{run.status ?? run.outcome}</Badge>
              </td>
              <td dir="auto">
                {(run.error ?? run.output ?? '').slice(0, 300)}{' '}
                {run.session_id && <Link href={`/sessions/${run.session_id}`}>{t('Its session')}</Link>}
              </td>
              <td>{run.cost_usd === null ? '' : dollars(run.cost_usd)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Loaded>
  )
}

function JobDialog({ job, onClose, done }: { job?: Job; onClose: () => void; done: () => void }) {
  const [name, schedule, prompt, deliver] = [
    useSignal(job?.name ?? ''),
    useSignal(job?.schedule.display ?? ''),
    useSignal(job?.prompt ?? ''),
    useSignal(job?.deliver ?? 'file'),
  ]
  const preview = useSignal('')
  useEffect(() => {
    const text = schedule.value
    if (text === '') return undefined
    const timer = setTimeout(async () => {
      try {
        const { display, next } = await api.post('/api/cron/preview', {
          schedule: text,
        })
        preview.value = [display, ...next.slice(0, 2).map(dateTime)].join(' · ')
      } catch (error) {
        preview.value = (error as Error).message
      }
    }, 300)
    return () => clearTimeout(timer)
  }, [schedule.value])
  const save = async () => {
    const texts = { name: name.value || undefined, prompt: prompt.value, deliver: deliver.value }
    const isSame = schedule.value === job?.schedule.display
    const saved = await attempt(
      () =>
        job
          ? api.put('/api/cron/jobs/:id', { ...texts, ...(!isSame && { schedule: schedule.value }) }, { id: job.id })
          : api.post('/api/cron/jobs', { ...texts, schedule: schedule.value }),
      t('Saved'),
    )
    if (saved === undefined) return
    done()
    onClose()
  }
  return (
    <FormDialog
      title={job ? t('Change {name}', { name: job.name }) : t('New job')}
      action={t('Save')}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} {...bind(name)} />
      <TextField
        label={t('When')}
        required
        placeholder={t('every day at 9:00, every 2h, 0 9 * * 1-5')}
        help={preview.value}
        {...bind(schedule)}
      />
      <Field label={t('What to ask')}>
        {(id) => (
          <textarea
            id={id}
            class="input"
            rows={5}
            required
            value={prompt.value}
            onInput={(event) => {
              prompt.value = event.currentTarget.value
            }}
          />
        )}
      </Field>
      <TextField label={t('Deliver to')} help={t('file, or a chat such as telegram:123')} {...bind(deliver)} />
    </FormDialog>
  )
}
