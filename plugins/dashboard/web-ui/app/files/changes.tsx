/** What git has changed in the folder of a session. */
import { useSignal } from '@preact/signals'
import { GitBranch } from 'lucide-preact'
import { Diff } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Dialog, Loaded, Table } from '../ui/parts.tsx'

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
            <Table label={t('Changed files')} head={[t('File'), t('State')]}>
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
                </tr>
              ))}
            </Table>
          )}
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
