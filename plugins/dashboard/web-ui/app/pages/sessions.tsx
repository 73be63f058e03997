/** Stored sessions: search, look into, rename, archive, export and delete. */
import { useSignal } from '@preact/signals'
import { Archive, ArchiveRestore, Download, FileUp, MessageSquareText, Pencil, Trash2 } from 'lucide-preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { fromMessages, type StoredMessage } from '../chat/entries.ts'
import { EntryView } from '../chat/entry-view.tsx'
import { useResource } from '../client/api.ts'
import { download } from '../client/download.ts'
import { ago, dateTime, number, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { SessionTree } from '../sessions/session-tree.tsx'
import { Badge, Button, Confirm, Dialog, Empty, Fold, Loaded, Page, Select, TextField } from '../ui/parts.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'

export interface StoredSession {
  readonly id: string
  readonly title: string | null
  readonly preview?: string | null
  readonly source: string
  readonly started_at: number
  readonly last_active: number
  readonly message_count: number
  readonly archived?: boolean
}

const PAGE = 50
const ARCHIVED = ['exclude', 'only', 'include'] as const
const ORDERS = ['recent', 'created'] as const

export function SessionsPage({ id }: { id?: string }) {
  return id === undefined ? <SessionList /> : <SessionView key={id} id={id} />
}

function SessionList() {
  const words = useSignal('')
  const archived = useSignal('exclude')
  const offset = useSignal(0)
  const marked = useSignal<ReadonlySet<string>>(new Set())
  const isDeleting = useSignal(false)
  const [order, source] = [useSignal('recent'), useSignal('')]
  const query = {
    limit: PAGE,
    offset: offset.value,
    archived: ARCHIVED.find((each) => each === archived.value),
    order: ORDERS.find((each) => each === order.value),
    source: source.value,
  }
  const sessions = useResource((signal) => api.get('/api/sessions', query, signal), Object.values(query))
  const toggle = (session: string) => {
    const next = new Set(marked.value)
    if (!next.delete(session)) next.add(session)
    marked.value = next
  }
  const sources = [...new Set(sessions.data?.sessions.map((each) => each.source))]
  return (
    <Page title={t('Sessions')} actions={<Import done={sessions.reload} />}>
      <div class="filters">
        <input
          class="input"
          type="search"
          aria-label={t('Search messages')}
          placeholder={t('Search messages')}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value
          }}
        />
        <Select
          isHidden
          label={t('Archived')}
          value={archived.value}
          options={[
            ['exclude', t('Not archived')],
            ['only', t('Archived')],
            ['include', t('All')],
          ]}
          onValue={(value) => {
            archived.value = value
            offset.value = 0
          }}
        />
        <Select
          isHidden
          label={t('From')}
          value={source.value}
          options={[['', t('From everywhere')], ...sources.map((each) => [each, each] as const)]}
          onValue={(value) => {
            source.value = value
          }}
        />
        {marked.value.size > 0 && (
          <Button
            icon={Trash2}
            kind="danger"
            onClick={() => {
              isDeleting.value = true
            }}
          >
            {t('Delete {count}', { count: marked.value.size })}
          </Button>
        )}
      </div>
      {words.value.trim().length > 1 ? (
        <SearchResults words={words.value.trim()} />
      ) : (
        <Loaded from={sessions}>
          {({ sessions: rows, total }) => (
            <>
              {rows.length === 0 ? (
                <Empty>{t('There are no sessions here.')}</Empty>
              ) : (
                <div class="session-list">
                  {rows.map((row) => (
                    <SessionRowView
                      key={row.id}
                      row={row}
                      isMarked={marked.value.has(row.id)}
                      toggle={() => toggle(row.id)}
                      reload={sessions.reload}
                    />
                  ))}
                </div>
              )}
              <div class="actions">
                <Button
                  disabled={offset.value === 0}
                  onClick={() => {
                    offset.value = Math.max(0, offset.value - PAGE)
                  }}
                >
                  {t('Newer')}
                </Button>
                <Button
                  disabled={offset.value + PAGE >= total}
                  onClick={() => {
                    offset.value += PAGE
                  }}
                >
                  {t('Older')}
                </Button>
                <span class="dim">{t('{count} sessions', { count: number(total) })}</span>
              </div>
            </>
          )}
        </Loaded>
      )}
      {isDeleting.value && (
        <Confirm
          title={t('Delete sessions')}
          text={t('A copy stays in the trash for a month.')}
          action={t('Delete')}
          onClose={() => {
            isDeleting.value = false
          }}
          onConfirm={async () => {
            await attempt(() => api.post('/api/sessions/bulk-delete', { ids: [...marked.value] }), t('Deleted'))
            marked.value = new Set()
            sessions.reload()
          }}
        />
      )}
    </Page>
  )
}

interface RowProps {
  readonly row: StoredSession
  readonly isMarked: boolean
  toggle(): void
  reload(): void
}

function SessionRowView({ row, isMarked, toggle, reload }: RowProps) {
  const title = row.title || t('Without a title')
  return (
    <div class="session-row">
      <input type="checkbox" checked={isMarked} aria-label={t('Select {title}', { title })} onChange={toggle} />
      <Link href={`/sessions/${row.id}`} class="session-text">
        <span class="title" dir="auto">
          {title}
        </span>
        {row.preview && (
          <span class="preview" dir="auto">
            {row.preview}
          </span>
        )}
      </Link>
      <Badge>{row.source}</Badge>
      <span class="dim">{t('{count, plural, one {# message} other {# messages}}', { count: row.message_count })}</span>
      <span class="dim">{ago(row.last_active)}</span>
      <Button
        icon={row.archived ? ArchiveRestore : Archive}
        kind="quiet"
        label={row.archived ? t('Take out of the archive') : t('Archive')}
        onClick={() =>
          attempt(() => api.patch('/api/sessions/:id', { archived: !row.archived }, { id: row.id })).then(reload)
        }
      />
    </div>
  )
}

function SearchResults({ words }: { words: string }) {
  const found = useResource(
    async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, 150))
      return api.get('/api/sessions/search', { q: words, limit: 50 }, signal)
    },
    [words],
  )
  return (
    <Loaded from={found}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty>{t('Nothing was found.')}</Empty>
        ) : (
          <div class="session-list" aria-live="polite">
            {results.map(({ session_id: session, snippet, title, source }, at) => (
              <div class="session-row" key={at}>
                <Link href={`/sessions/${session}`} class="session-text">
                  <span class="title" dir="auto">
                    {title || session}
                  </span>
                  <span class="preview" dir="auto">
                    <Snippet text={snippet} />
                  </span>
                </Link>
                {source && <Badge>{source}</Badge>}
              </div>
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

/** Marks of the search become marks of the page; nothing else in the text is one. */
function Snippet({ text }: { text: string }) {
  const pieces = text.split(/(?:>>>|<<<|«|»|<\/?mark>|<\/?b>)/)
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}</>
}

function Import({ done }: { done: () => void }) {
  const take = async (file: File | undefined) => {
    if (!file) return
    await attempt(async () => api.post('/api/sessions/import', JSON.parse(await file.text())), t('Imported'))
    done()
  }
  return (
    <label class="button file-button">
      <FileUp size={16} aria-hidden="true" /> {t('Import')}
      <input
        type="file"
        class="hidden"
        accept=".json,.jsonl"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}

function Transcript({ messages }: { messages: readonly StoredMessage[] }) {
  const entries = useMemo(() => fromMessages(messages), [messages])
  return (
    <div class="session-transcript">
      <VirtualList label={t('Conversation')} rows={entries}>
        {(entry) => <EntryView entry={entry} actions={{}} />}
      </VirtualList>
    </div>
  )
}

function SessionView({ id }: { id: string }) {
  const [, navigate] = useLocation()
  const path = `/api/sessions/${encodeURIComponent(id)}`
  const session = useResource((signal) => api.get('/api/sessions/:id', { id }, signal), [id])
  const messages = useResource((signal) => api.get('/api/sessions/:id/messages', { id }, signal), [id])
  const [isNaming, isDeleting, name] = [useSignal(false), useSignal(false), useSignal('')]
  useEffect(() => {
    name.value = session.data?.title ?? ''
  }, [session.data])
  const title = session.data?.title || t('Without a title')
  return (
    <Page
      title={title}
      actions={
        <>
          <Button icon={MessageSquareText} kind="primary" onClick={() => navigate(`/chat/${id}`)}>
            {t('Continue')}
          </Button>
          <Button
            icon={Pencil}
            kind="quiet"
            label={t('Rename')}
            onClick={() => {
              isNaming.value = true
            }}
          />
          <Button
            icon={Download}
            kind="quiet"
            label={t('Export')}
            onClick={() => attempt(() => download(`${path}/export`, `${id}.json`))}
          />
          <Button
            icon={Trash2}
            kind="quiet"
            label={t('Delete')}
            onClick={() => {
              isDeleting.value = true
            }}
          />
        </>
      }
    >
      <Loaded from={session}>
        {(row) => (
          <p class="dim">
            {row.source} · {dateTime(row.started_at)} ·{' '}
            {t('{count, plural, one {# message} other {# messages}}', { count: row.message_count })}
          </p>
        )}
      </Loaded>
      <Fold summary={t('Tree of branches')}>
        <SessionTree id={id} path="/sessions" />
      </Fold>
      <Loaded from={messages}>{({ messages: rows }) => <Transcript messages={rows} />}</Loaded>
      {isNaming.value && (
        <Dialog
          title={t('Rename')}
          onClose={() => {
            isNaming.value = false
          }}
        >
          <form
            onSubmit={async (event) => {
              event.preventDefault()
              await attempt(() => api.patch('/api/sessions/:id', { title: name.value }, { id }))
              isNaming.value = false
              session.reload()
            }}
          >
            <TextField
              label={t('Title')}
              value={name.value}
              onValue={(value) => {
                name.value = value
              }}
            />
            <div class="actions end">
              <Button type="submit" kind="primary">
                {t('Save')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
      {isDeleting.value && (
        <Confirm
          title={t('Delete the session')}
          text={t('A copy stays in the trash for a month.')}
          action={t('Delete')}
          onClose={() => {
            isDeleting.value = false
          }}
          onConfirm={async () => {
            if ((await attempt(() => api.remove('/api/sessions/:id', { id }), t('Deleted'))) !== undefined)
              navigate('/sessions')
          }}
        />
      )}
    </Page>
  )
}
