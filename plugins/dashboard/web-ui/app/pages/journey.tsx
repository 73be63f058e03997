/** What the agent has learned: skills and memories, what links them, and corrections of them. */
import { type Signal, signal, useSignal } from '@preact/signals'
import { Pencil, Route, Trash2, Undo2 } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { ago, dateTime, number, t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { basePath } from '../client/session.ts'
import { api } from '../client/typed.ts'
import { GraphDrawing } from '../journey/drawing.tsx'
import { EntryDialog } from '../journey/entry-dialog.tsx'
import { type Entry, findLinked, type Graph, groupEntries, SESSION } from '../journey/graph.ts'
import { Badge, Button, Card, Empty, Loaded, Page } from '../ui/parts.tsx'

/** What was removed while the web UI is loaded, the last one at the end. */
const removed = signal<readonly Entry[]>([])

export function JourneyPage() {
  const graph = useResource((signal) => api.get('/api/learning/graph', {}, signal), [])
  const edited = useSignal<Entry | undefined>(undefined)
  const active = useSignal<string | undefined>(undefined)
  const dismiss = ({ id }: Pick<Entry, 'id'>) => {
    removed.value = removed.value.filter((each) => each.id !== id)
  }
  const remove = async (entry: Entry) => {
    const done = await attempt(() => api.remove('/api/learning/node', {}, { id: entry.id }))
    if (done) {
      dismiss(entry)
      removed.value = [...removed.value, entry]
    }
    graph.reload()
  }
  const restore = async ({ id }: Entry) => {
    const done = await attempt(() => api.post('/api/learning/node/restore', { id }))
    if (done) {
      dismiss({ id })
      notify(t('It is back.'), 'ok')
    }
    graph.reload()
  }
  const last = removed.value.at(-1)
  return (
    <Page title={t('Journey')}>
      {last && <Removed key={last.id} entry={last} restore={restore} dismiss={() => dismiss(last)} />}
      <Loaded from={graph}>
        {(data) =>
          data.nodes.length === 0 ? (
            <Empty icon={Route}>{t('Nothing was learned yet. Tell the agent what to remember, or type /learn.')}</Empty>
          ) : (
            <div class="journey">
              <div>
                {[...groupEntries(data)].map(([kind, entries]) => (
                  <Card key={kind} title={<Heading kind={kind} count={entries.length} />}>
                    <ul class="checks">
                      {entries.map((entry) => (
                        <Row
                          key={entry.id}
                          {...{ graph: data, entry, active, remove }}
                          edit={() => (edited.value = entry)}
                        />
                      ))}
                    </ul>
                  </Card>
                ))}
              </div>
              <GraphDrawing graph={data} active={active.value} />
            </div>
          )
        }
      </Loaded>
      {edited.value && (
        <EntryDialog entry={edited.value} onClose={() => (edited.value = undefined)} done={graph.reload} />
      )}
    </Page>
  )
}

interface RemovedProps {
  readonly entry: Entry
  restore(entry: Entry): Promise<void>
  dismiss(): void
}

/** Takes the focus, which was on the button of the entry that is gone. */
function Removed({ entry, restore, dismiss }: RemovedProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  return (
    <div class="card" role="status" ref={box}>
      <p>{t('Removed: {title}', { title: entry.title })}</p>
      <p class="actions">
        <Button icon={Undo2} onClick={() => restore(entry)}>
          {t('Undo')}
        </Button>
        <Button kind="quiet" onClick={dismiss}>
          {t('Dismiss')}
        </Button>
      </p>
    </div>
  )
}

function Heading({ kind, count }: { readonly kind: string; readonly count: number }) {
  const known: Readonly<Record<string, string>> = { skill: t('Skills'), memory: t('Memories') }
  return (
    <>
      <span class={`journey-kind kind-${kind}`} aria-hidden="true" /> {known[kind] ?? kind}{' '}
      <Badge>{number(count)}</Badge>
    </>
  )
}

interface RowProps {
  readonly graph: Graph
  readonly entry: Entry
  /** The id of the entry that is looked at, which the drawing shows. */
  readonly active: Signal<string | undefined>
  edit(): void
  remove(entry: Entry): Promise<void>
}

function Row({ graph, entry, active, edit, remove }: RowProps) {
  const { id, title, at, learned, can_edit: canEdit, can_remove: canRemove } = entry
  const enter = () => (active.value = id)
  const leave = () => (active.value = undefined)
  return (
    <li
      id={id}
      class="journey-entry"
      tabIndex={-1}
      {...{ onPointerEnter: enter, onPointerLeave: leave, onFocusIn: enter, onFocusOut: leave }}
    >
      <p>
        {title} {!learned && <Badge>{t('not learned here')}</Badge>}{' '}
        {at !== null && (
          <time class="dim" dateTime={new Date(at).toISOString()} title={dateTime(at)}>
            {ago(at)}
          </time>
        )}
      </p>
      <Links label={t('Belongs to')} to={findLinked(graph, id, 'related')} />
      <Links label={t('Mentions')} to={findLinked(graph, id, 'mentions')} />
      <Links label={t('From the session')} to={findLinked(graph, id, 'learned')} />
      <p class="actions">
        {canEdit && <Button icon={Pencil} kind="quiet" label={t('Edit {name}', { name: title })} onClick={edit} />}
        {canRemove && (
          <Button
            icon={Trash2}
            kind="quiet"
            label={t('Remove {name}', { name: title })}
            onClick={() => remove(entry)}
          />
        )}
      </p>
    </li>
  )
}

function Links({ label, to }: { readonly label: string; readonly to: readonly Entry[] }): ComponentChildren {
  if (to.length === 0) return null
  return (
    <p class="dim">
      {label}:{' '}
      {to.map((node, at) => (
        <span key={node.id}>
          {at > 0 && ', '}
          {node.kind === SESSION ? (
            <Link href={`/sessions/${encodeURIComponent(node.id.slice(SESSION.length + 1))}`}>{node.title}</Link>
          ) : (
            <a href={`${basePath}/journey#${encodeURIComponent(node.id)}`}>{node.title}</a>
          )}
        </span>
      ))}
    </p>
  )
}
