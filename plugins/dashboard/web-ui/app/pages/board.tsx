/** The kanban board: columns of tasks that are moved by pointer or by keyboard, and what happens to them meanwhile. */
import { useSignal } from '@preact/signals'
import { CircleAlert, GitFork, MessageSquare, Plus, UserRound } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { columnTitle } from '../board/column-title.ts'
import { TaskDialog } from '../board/task-dialog.tsx'
import {
  type Board,
  type Card,
  changeTask,
  createTask,
  followBoard,
  readBoard,
  readBoards,
  readTask,
} from '../board/tasks.ts'
import { useResource } from '../client/api.ts'
import { ago, number, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Button, Field, Loaded, Page, Select, TextField } from '../ui/parts.tsx'

export function BoardPage({ task }: { task?: string }) {
  const [, navigate] = useLocation()
  const chosen = useSignal<string | undefined>(undefined)
  const isCreating = useSignal(false)
  const boards = useResource(readBoards, [])
  const board = useResource((signal) => readBoard(chosen.value, signal), [chosen.value])
  const [slug, since] = [board.data?.board, board.data?.latest_event_id]
  useEffect(() => {
    if (slug === undefined || since === undefined) return undefined
    const controller = new AbortController()
    void followBoard(slug, since, () => board.reload(), controller.signal)
    return () => controller.abort()
  }, [slug])
  const list = boards.data?.boards ?? []
  return (
    <Page
      title={t('Board')}
      actions={
        <>
          {list.length > 1 && (
            <Select
              isHidden
              label={t('Board')}
              value={slug ?? ''}
              options={list.map((each) => [each.slug, each.name || each.slug] as const)}
              onValue={(value) => {
                chosen.value = value
              }}
            />
          )}
          <Button
            icon={Plus}
            kind="primary"
            onClick={() => {
              isCreating.value = true
            }}
          >
            {t('New task')}
          </Button>
        </>
      }
    >
      <Loaded from={board}>{(data) => <Columns board={data} reload={board.reload} />}</Loaded>
      {isCreating.value && (
        <NewTask
          board={slug}
          assignees={board.data?.assignees ?? []}
          onClose={() => {
            isCreating.value = false
            board.reload()
          }}
        />
      )}
      {task !== undefined && (
        <TaskDialog key={task} id={task} onChange={board.reload} onClose={() => navigate('/board')} />
      )}
    </Page>
  )
}

function Columns({ board, reload }: { board: Board; reload: () => void }) {
  const said = useSignal('')
  const over = useSignal<string | undefined>(undefined)
  const names = board.columns.map(({ name }) => name)
  const move = async (id: string, title: string, to: string | undefined) => {
    if (to === undefined) return
    const done = await attempt(() => changeTask(id, { status: to }))
    said.value = done === undefined ? '' : t('{title} is now in {column}.', { title, column: columnTitle(to) })
    reload()
  }
  /** To the next column in this direction that the task may go to. */
  const step = async (card: Card, forward: number) => {
    const details = await attempt(() => readTask(card.id, new AbortController().signal))
    const open = new Set(details?.moves.map(({ to }) => to))
    const from = names.indexOf(card.status)
    const ahead = forward > 0 ? names.slice(from + 1) : names.slice(0, from).reverse()
    await move(
      card.id,
      card.title,
      ahead.find((name) => open.has(name)),
    )
  }
  const onKeyDown = (event: KeyboardEvent, card: Card) => {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!event.altKey || direction === undefined) return
    event.preventDefault()
    void step(card, document.documentElement.dir === 'rtl' ? -direction : direction)
  }
  const onDrop = (event: DragEvent, to: string) => {
    event.preventDefault()
    over.value = undefined
    const { id, title, status } = JSON.parse(event.dataTransfer?.getData('application/json') || '{}') as Partial<Card>
    if (id !== undefined && status !== to) void move(id, title ?? id, to)
  }
  return (
    <>
      <p class="dim board-help">{t('Drag a card to move it, or use Alt with the arrow keys.')}</p>
      <p class="hidden" aria-live="polite">
        {said.value}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard */}
      <section class="board" tabIndex={0} aria-label={t('Columns')}>
        {board.columns.map(({ name, tasks }) => (
          <section
            key={name}
            class={`column ${over.value === name ? 'over' : ''}`}
            aria-label={columnTitle(name)}
            onDragOver={(event) => {
              event.preventDefault()
              over.value = name
            }}
            onDragLeave={() => {
              over.value = undefined
            }}
            onDrop={(event) => onDrop(event, name)}
          >
            <h2>
              {columnTitle(name)} <span class="dim">{number(tasks.length)}</span>
            </h2>
            <ul>
              {tasks.slice(0, MAX_CARDS).map((card) => (
                <li key={card.id}>
                  <CardView card={card} onKeyDown={(event) => onKeyDown(event, card)} />
                </li>
              ))}
            </ul>
            {tasks.length > MAX_CARDS && <p class="dim">{t('{count} more', { count: tasks.length - MAX_CARDS })}</p>}
          </section>
        ))}
      </section>
    </>
  )
}

const MAX_CARDS = 200

function CardView({ card, onKeyDown }: { card: Card; onKeyDown: (event: KeyboardEvent) => void }) {
  // A button cannot be dragged in every browser; a link can.
  const start = (event: DragEvent) => event.dataTransfer?.setData('application/json', JSON.stringify(card))
  return (
    <Link href={`/board/${card.id}`} class="task" draggable onDragStart={start} onKeyDown={onKeyDown}>
      <strong dir="auto">{card.title}</strong>
      {card.block_reason && (
        <span class="reason" dir="auto">
          <CircleAlert size={13} aria-hidden="true" /> {card.block_reason}
        </span>
      )}
      <span class="task-facts">
        {card.assignee && (
          <span>
            <UserRound size={13} aria-hidden="true" /> {card.assignee}
          </span>
        )}
        {card.comment_count > 0 && (
          <span>
            <MessageSquare size={13} aria-hidden="true" /> {card.comment_count}
            <span class="hidden"> {t('comments')}</span>
          </span>
        )}
        {card.progress && (
          <span>
            <GitFork size={13} aria-hidden="true" /> {card.progress.done}/{card.progress.total}
          </span>
        )}
        {card.priority !== 0 && <span>P{card.priority}</span>}
        <span>{ago(Date.now() - card.age * 1000)}</span>
      </span>
    </Link>
  )
}

function NewTask({
  board,
  assignees,
  onClose,
}: {
  board: string | undefined
  assignees: readonly string[]
  onClose: () => void
}) {
  const [title, body, assignee, triage] = [useSignal(''), useSignal(''), useSignal(''), useSignal('no')]
  const save = async () => {
    const task = {
      title: title.value,
      body: body.value,
      assignee: assignee.value || null,
      triage: triage.value === 'yes',
    }
    if ((await attempt(() => createTask(task, board), t('The task was created.'))) !== undefined) onClose()
  }
  return (
    <FormDialog title={t('New task')} action={t('Create')} onSubmit={save} onClose={onClose}>
      <TextField
        label={t('Title')}
        required
        value={title.value}
        onValue={(value) => {
          title.value = value
        }}
      />
      <Field label={t('What is to be done')}>
        {(id) => (
          <textarea
            id={id}
            class="input"
            rows={5}
            value={body.value}
            onInput={(event) => {
              body.value = event.currentTarget.value
            }}
          />
        )}
      </Field>
      <TextField
        label={t('Assignee')}
        help={t('A profile. Empty: the dispatcher chooses.')}
        list="assignees"
        value={assignee.value}
        onValue={(value) => {
          assignee.value = value
        }}
      />
      <datalist id="assignees">
        {assignees.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Select
        label={t('Where it begins')}
        value={triage.value}
        options={[
          ['no', columnTitle('todo')],
          ['yes', columnTitle('triage')],
        ]}
        onValue={(value) => {
          triage.value = value
        }}
      />
    </FormDialog>
  )
}
