/** What git has changed in the folder of a session. */
import { useSignal } from '@preact/signals'
import { GitBranch, Minus, Plus, Undo2 } from 'lucide-preact'
import { Diff } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Dialog, Loaded, Table, TextField } from '../ui/parts.tsx'
import { Ship } from './ship.tsx'

type Changed = NonNullable<ResultOf<'GET', '/api/git/status'>['status']>['files'][number]

export function Changes({ session }: { session: string }) {
  const open = useSignal<Changed | undefined>(undefined)
  const status = useResource((signal) => api.get('/api/git/status', { session }, signal), [session], 10_000)
  const found = status.data?.status
  if (status.data && !found) return <p class="dim">{t('There is no git repository here.')}</p>
  return (
    <Loaded from={status}>
      {() => (
        <Card
          title={
            <>
              <GitBranch size={16} aria-hidden="true" /> {found?.branch ?? t('no branch')}
            </>
          }
        >
          {found?.files.length === 0 ? (
            <p class="dim">{t('Nothing was changed.')}</p>
          ) : (
            <Table label={t('Changed files')} head={[t('File'), t('State'), '']}>
              {found?.files.map((file) => (
                <tr key={file.path}>
                  <td>
                    <Button kind="quiet" disabled={file.untracked} onClick={() => (open.value = file)}>
                      {file.path}
                    </Button>
                  </td>
                  <td>
                    <State file={file} />
                  </td>
                  <td>
                    <Actions session={session} file={file} reload={status.reload} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
          {found?.files.some((file) => file.staged) && <Commit session={session} reload={status.reload} />}
          <Ship session={session} branch={found?.branch ?? ''} />
          {open.value && <FileDiff session={session} file={open.value} onClose={() => (open.value = undefined)} />}
        </Card>
      )}
    </Loaded>
  )
}

function State({ file: { staged, unstaged, untracked, conflicted } }: { file: Changed }) {
  return (
    <>
      {staged && <Badge tone="ok">{t('staged')}</Badge>}
      {unstaged && <Badge tone="warning">{t('changed')}</Badge>}
      {untracked && <Badge>{t('new')}</Badge>}
      {conflicted && <Badge tone="error">{t('conflict')}</Badge>}
    </>
  )
}

/** A body with the session, where one is named. */
export function within<T extends object>(session: string, body: T): T & { session?: string } {
  return session === '' ? body : { ...body, session }
}

function Actions({ session, file, reload }: { session: string; file: Changed; reload: () => void }) {
  const reverting = useToggle()
  const body = within(session, { path: file.path })
  const stage = () => attempt(() => api.post('/api/git/review/stage', body)).then(reload)
  const unstage = () => attempt(() => api.post('/api/git/review/unstage', body)).then(reload)
  const name = file.path
  return (
    <span class="actions end">
      {file.staged && <Button icon={Minus} kind="quiet" label={t('Unstage {name}', { name })} onClick={unstage} />}
      {(file.unstaged || file.untracked) && (
        <Button icon={Plus} kind="quiet" label={t('Stage {name}', { name })} onClick={stage} />
      )}
      {!file.untracked && (
        <Button icon={Undo2} kind="quiet" label={t('Revert {name}', { name })} onClick={reverting.on} />
      )}
      {reverting.isOn && (
        <Confirm
          title={t('Revert {name}', { name })}
          text={t('The file is as in the last commit then. A checkpoint is taken first.')}
          action={t('Revert')}
          onClose={reverting.off}
          onConfirm={() => attempt(() => api.post('/api/git/review/revert', body)).then(reload)}
        />
      )}
    </span>
  )
}

function Commit({ session, reload }: { session: string; reload: () => void }) {
  const message = useSignal('')
  const save = async (event: Event) => {
    event.preventDefault()
    const body = within(session, { message: message.value })
    if ((await attempt(() => api.post('/api/git/review/commit', body), t('Committed'))) === undefined) return
    message.value = ''
    reload()
  }
  return (
    <form class="form" onSubmit={save}>
      <TextField label={t('Commit message')} required maxLength={20_000} {...bind(message)} />
      <div class="actions end">
        <Button type="submit" kind="primary">
          {t('Commit')}
        </Button>
      </div>
    </form>
  )
}

function FileDiff({ session, file, onClose }: { session: string; file: Changed; onClose: () => void }) {
  const staged = !file.unstaged && file.staged
  const diff = useResource(
    (signal) => api.get('/api/git/diff', { session, path: file.path, staged: staged ? 'true' : 'false' }, signal),
    [session, file.path],
  )
  return (
    <Dialog title={file.path} class="wide" onClose={onClose}>
      <Loaded from={diff}>{({ diff: text }) => <Diff text={text} />}</Loaded>
    </Dialog>
  )
}
