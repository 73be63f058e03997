/** The branches of a session: each opens, and a labelled message begins another one. */
import { Bookmark } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { ago, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, call } from '../client/typed.ts'
import { Badge, Button, Dialog, Loaded } from '../ui/parts.tsx'
import { type TreeNode, toNodes } from './tree.ts'

interface SessionTreeProps {
  /** The session that is open. */
  readonly id: string
  /** Where a session opens, before its id. */
  readonly path: '/chat' | '/sessions'
  /** Called when one is opened. */
  onOpen?(): void
}

export function TreeDialog({ onClose, ...tree }: SessionTreeProps & { onClose: () => void }) {
  return (
    <Dialog title={t('Tree of branches')} class="wide" onClose={onClose}>
      <SessionTree {...tree} onOpen={onClose} />
    </Dialog>
  )
}

export function SessionTree(props: SessionTreeProps) {
  const { id } = props
  const tree = useResource((signal) => api.get('/api/sessions/:id/tree', { id }, signal), [id])
  return (
    <Loaded from={tree}>
      {({ rows }) => (
        <>
          {rows.length === 1 && <p class="dim">{t('This chat has no branches yet.')}</p>}
          <Nodes {...props} nodes={toNodes(rows)} />
        </>
      )}
    </Loaded>
  )
}

function Nodes({ nodes, ...props }: SessionTreeProps & { readonly nodes: readonly TreeNode[] }) {
  return (
    <ul class="tree">
      {nodes.map(({ row, below }) => (
        <li key={row.label ? `${row.session.id} ${row.label.at}` : row.session.id}>
          <Row {...props} row={row} />
          {below.length > 0 && <Nodes {...props} nodes={below} />}
        </li>
      ))}
    </ul>
  )
}

function Row({ id, path, onOpen, row }: SessionTreeProps & Pick<TreeNode, 'row'>) {
  const [, navigate] = useLocation()
  const { session, label, branched_at: sharedCount } = row
  const title = session.title || session.preview || t('Without a title')
  if (label) {
    const begin = () =>
      attempt(async () => {
        const opened = await call('session.resume', { session_id: session.id })
        const branch = await call('session.branch', { session_id: opened.session_id, at: label.at, name: label.text })
        onOpen?.()
        navigate(`/chat/${branch.session_key}`)
      }, t('A branch was made.'))
    return (
      <div class="tree-row">
        <Bookmark size={14} aria-hidden="true" />
        <span dir="auto">{label.text}</span>
        <span class="dim">{t('message {number}', { number: label.at })}</span>
        <Button class="small" onClick={begin}>
          {t('Continue from here')}
          <span class="hidden"> {label.text}</span>
        </Button>
      </div>
    )
  }
  return (
    <div class="tree-row">
      <Link
        href={`${path}/${session.id}`}
        aria-current={session.id === id ? 'true' : undefined}
        onClick={() => onOpen?.()}
      >
        <span dir="auto">{title}</span>
      </Link>
      {session.id === id && <Badge tone="ok">{t('open here')}</Badge>}
      {session.archived && <Badge>{t('Archived')}</Badge>}
      <span class="dim">
        {t('{count, plural, one {# message} other {# messages}}', { count: session.message_count })}
        {session.parent_session_id !== null && sharedCount !== null && (
          <> · {t('branched off after {count}', { count: sharedCount })}</>
        )}{' '}
        · {ago(session.last_active)}
      </span>
    </div>
  )
}
