/** A task with all that belongs to it. */
import { useSignal } from '@preact/signals'
import { CircleCheck, CircleX, Trash2 } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { Markdown } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { ago, dollars, t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { Badge, Button, Confirm, Dialog, Fold, Loaded } from '../ui/parts.tsx'
import { columnTitle } from './column-title.ts'
import { PlanDialog } from './plan-dialog.tsx'
import { changeTask, comment, deleteTask, type Run, readLog, readTask, specifyTask, type TaskDetails } from './tasks.ts'

interface TaskDialogProps {
  readonly id: string
  onChange(): void
  onClose(): void
}

export function TaskDialog({ id, onChange, onClose }: TaskDialogProps) {
  const details = useResource((signal) => readTask(id, signal), [id], 4000)
  const changed = () => {
    details.reload()
    onChange()
  }
  return (
    <Dialog title={details.data?.task.title ?? id} class="wide" onClose={onClose}>
      <Loaded from={details}>{(data) => <TaskBody details={data} changed={changed} onClose={onClose} />}</Loaded>
    </Dialog>
  )
}

function TaskBody({ details, changed, onClose }: { details: TaskDetails; changed: () => void; onClose: () => void }) {
  const { task, moves, runs, child_results: children, links, comments, attachments } = details
  const isDeleting = useSignal(false)
  const isPlanning = useSignal(false)
  const move = (to: string) => attempt(() => changeTask(task.id, { status: to })).then(changed)
  const specify = async () => {
    const planned = await attempt(() => specifyTask(task.id))
    if (planned) notify(planned.ok ? t('The task was planned.') : (planned.reason ?? ''), planned.ok ? 'ok' : 'warning')
    changed()
  }
  return (
    <div class="task-body">
      <p class="actions">
        <Badge>{columnTitle(task.status)}</Badge>
        <code>{task.id}</code>
        {task.assignee && <Badge>{task.assignee}</Badge>}
        {task.budget_spent_usd > 0 && <Badge>{dollars(task.budget_spent_usd)}</Badge>}
        {task.session_id && <Link href={`/sessions/${task.session_id}`}>{t('Its session')}</Link>}
      </p>
      <div class="actions">
        {moves.map(({ verb, to }) => (
          <Button key={`${verb}-${to}`} onClick={() => move(to)}>
            {`${verb} → ${columnTitle(to)}`}
          </Button>
        ))}
        {task.status === 'triage' && <Button onClick={specify}>{t('Specify')}</Button>}
        {task.status === 'triage' && <Button onClick={() => (isPlanning.value = true)}>{t('Decompose')}</Button>}
        <Button
          icon={Trash2}
          kind="danger"
          label={t('Delete the task')}
          onClick={() => {
            isDeleting.value = true
          }}
        />
      </div>
      {task.block_reason && <p class="card warning">{task.block_reason}</p>}
      {task.body === '' ? <p class="dim">{t('There is no description.')}</p> : <Markdown text={task.body} />}
      {task.result && (
        <section>
          <h3>{t('Result')}</h3>
          <Markdown text={task.result} />
        </section>
      )}
      <Evidence details={details} />
      {children.length > 0 && (
        <section>
          <h3>{t('Parts')}</h3>
          <ul>
            {children.map((child) => (
              <li key={child.id}>
                <Link href={`/board/${child.id}`}>{child.title}</Link> <Badge>{columnTitle(child.status)}</Badge>
              </li>
            ))}
          </ul>
        </section>
      )}
      {links.parents.length > 0 && (
        <p>
          {t('Waits for:')}{' '}
          {links.parents.map((parent) => (
            <Link key={parent} href={`/board/${parent}`}>
              {parent}{' '}
            </Link>
          ))}
        </p>
      )}
      <Runs runs={runs} task={task.id} />
      {attachments.length > 0 && (
        <p>
          {t('Files:')} {attachments.map(({ filename }) => filename).join(', ')}
        </p>
      )}
      <Comments comments={comments} task={task.id} changed={changed} />
      {isPlanning.value && <PlanDialog id={task.id} onDone={changed} onClose={() => (isPlanning.value = false)} />}
      {isDeleting.value && (
        <Confirm
          title={t('Delete the task')}
          text={t('Its comments, files and events go with it.')}
          action={t('Delete')}
          onClose={() => {
            isDeleting.value = false
          }}
          onConfirm={async () => {
            if ((await attempt(() => deleteTask(task.id), t('The task was deleted.'))) === undefined) return
            changed()
            onClose()
          }}
        />
      )}
    </div>
  )
}

function Evidence({ details: { task } }: { details: TaskDetails }) {
  if (task.checks.length === 0) return null
  return (
    <section>
      <h3>{t('Evidence')}</h3>
      <ul class="evidence">
        {task.checks.map((check, at) => {
          const seen = task.evidence.find((each) => each.check === at)
          return (
            <li key={JSON.stringify(check)}>
              {seen?.met === true && <CircleCheck size={14} class="ok" aria-label={t('met')} />}
              {seen?.met === false && <CircleX size={14} class="error" aria-label={t('not met')} />}
              <code>{JSON.stringify(check)}</code> {seen && <span class="dim">{seen.detail}</span>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Runs({ runs, task }: { runs: readonly Run[]; task: string }) {
  if (runs.length === 0) return null
  return (
    <section>
      <h3>{t('Runs')}</h3>
      <ul class="runs">
        {runs.map((run) => (
          <li key={run.id}>
            <Badge tone={run.outcome === 'completed' ? 'ok' : run.error ? 'error' : ''}>
              {run.outcome ?? run.status}
            </Badge>{' '}
            {run.profile} · {ago(run.started_at * 1000)} {run.model && `· ${run.model}`}{' '}
            {run.estimated_cost_usd > 0 && `· ${dollars(run.estimated_cost_usd)}`}
            {(run.error ?? run.summary) && <p class="dim">{run.error ?? run.summary}</p>}
          </li>
        ))}
      </ul>
      <Fold summary={t('Log of the worker')}>
        <WorkerLog task={task} />
      </Fold>
    </section>
  )
}

function WorkerLog({ task }: { task: string }) {
  const log = useResource((signal) => readLog(task, signal), [task], 4000)
  return (
    <Loaded from={log}>
      {({ exists, content }) =>
        exists ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
          <pre class="tool-text" tabIndex={0} dir="ltr">
            {content}
          </pre>
        ) : (
          <p class="dim">{t('No worker has written here.')}</p>
        )
      }
    </Loaded>
  )
}

function Comments({
  comments,
  task,
  changed,
}: {
  comments: TaskDetails['comments']
  task: string
  changed: () => void
}) {
  const text = useSignal('')
  const add = async (event: Event) => {
    event.preventDefault()
    if ((await attempt(() => comment(task, text.value))) === undefined) return
    text.value = ''
    changed()
  }
  return (
    <section>
      <h3>{t('Comments')}</h3>
      {comments.map(({ id, author, body, created_at: at }) => (
        <article key={id} class="comment">
          <p class="dim">
            {author} · {ago(at * 1000)}
          </p>
          <Markdown text={body} />
        </article>
      ))}
      <form class="answer-form" onSubmit={add}>
        <input
          class="input"
          aria-label={t('Comment')}
          placeholder={t('The worker reads it at its next run')}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
        <Button type="submit" disabled={text.value.trim() === ''}>
          {t('Comment')}
        </Button>
      </form>
    </section>
  )
}
