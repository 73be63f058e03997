/** Snapshots of the files of a session's folder: what has changed since, and the way back, which can be taken back, too. */
import { useSignal } from '@preact/signals'
import { History } from 'lucide-preact'
import { Diff } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { dateTime, t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Card, Confirm, Dialog, Empty, Loaded, Table } from '../ui/parts.tsx'

type Checkpoint = ResultOf<'GET', '/api/checkpoints'>['checkpoints'][number]
type Restored = ResultOf<'POST', '/api/checkpoints/:number/restore'>['result']

export function Checkpoints({ session }: { session: string }) {
  const folder = useResource((signal) => api.get('/api/files', { session, path: '' }, signal), [session])
  return <Loaded from={folder}>{({ root }) => <OfFolder key={root} cwd={root} />}</Loaded>
}

function OfFolder({ cwd }: { cwd: string }) {
  const shown = useSignal<Checkpoint | undefined>(undefined)
  const wanted = useSignal<Checkpoint | undefined>(undefined)
  const done = useSignal<Restored | undefined>(undefined)
  const listed = useResource((signal) => api.get('/api/checkpoints', { cwd }, signal), [cwd])
  /** By its id: numbers change as snapshots come. */
  const restore = async (id: string) => {
    const answer = await attempt(() => api.post('/api/checkpoints/:number/restore', { cwd }, { number: id }))
    listed.reload()
    return answer?.result
  }
  const take = async () => {
    const taken = await attempt(() => api.post('/api/checkpoints', { cwd, reason: 'by hand' }))
    if (taken) notify(taken.why ?? t('A checkpoint was taken.'), taken.id === null ? 'info' : 'ok')
    listed.reload()
  }
  const undo = async (before: string) => {
    if (!(await restore(before))) return
    done.value = undefined
    notify(t('The files are as they were before.'), 'ok')
  }
  return (
    <>
      <div class="actions">
        <Button icon={History} onClick={take}>
          {t('Take a checkpoint')}
        </Button>
      </div>
      {done.value && <Done result={done.value} onUndo={undo} />}
      <Loaded from={listed}>
        {({ checkpoints }) =>
          checkpoints.length === 0 ? (
            <Empty icon={History}>{t('There is no checkpoint of these files yet.')}</Empty>
          ) : (
            <Table label={t('Checkpoints')} head={[t('Time'), t('Reason'), t('Changed since'), '']}>
              {checkpoints.map((each) => (
                <tr key={each.id}>
                  <td>{dateTime(each.at)}</td>
                  <td>{each.reason}</td>
                  <td>
                    <Button kind="quiet" disabled={each.files === 0} onClick={() => (shown.value = each)}>
                      {t('{count, plural, one {# file} other {# files}}', { count: each.files })} +{each.insertions} -
                      {each.deletions}
                    </Button>
                  </td>
                  <td>
                    <Button disabled={each.files === 0} onClick={() => (wanted.value = each)}>
                      {t('Put the files back')}
                    </Button>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
      {shown.value && <Changed cwd={cwd} checkpoint={shown.value} onClose={() => (shown.value = undefined)} />}
      {wanted.value && (
        <Confirm
          title={t('Put the files back')}
          text={t(
            '{count, plural, one {# file becomes} other {# files become}} as at {time}. This can be taken back.',
            {
              count: wanted.value.files,
              time: dateTime(wanted.value.at),
            },
          )}
          action={t('Put the files back')}
          onClose={() => (wanted.value = undefined)}
          onConfirm={async () => {
            done.value = await restore(wanted.value?.id ?? '')
            wanted.value = undefined
          }}
        />
      )}
    </>
  )
}

function Done({ result, onUndo }: { result: Restored; onUndo: (before: string) => Promise<void> }) {
  const { restored, removed, left_alone: leftAlone, before } = result
  return (
    <Card tone={leftAlone.length > 0 ? 'warning' : 'ok'} title={t('The files were put back')}>
      <p>{t('{restored} restored, {removed} removed', { restored: restored.length, removed: removed.length })}</p>
      {leftAlone.map(({ path, why }) => (
        <p key={path}>
          <code>{path}</code> {why}
        </p>
      ))}
      <div class="actions">
        <Button onClick={() => onUndo(before)}>{t('Undo')}</Button>
      </div>
    </Card>
  )
}

function Changed({ cwd, checkpoint, onClose }: { cwd: string; checkpoint: Checkpoint; onClose: () => void }) {
  const place = { cwd, number: checkpoint.id }
  const diff = useResource((signal) => api.get('/api/checkpoints/:number/diff', place, signal), [checkpoint.id])
  return (
    <Dialog title={dateTime(checkpoint.at)} class="wide" onClose={onClose}>
      <Loaded from={diff}>{({ diff: text }) => <Diff text={text} />}</Loaded>
    </Dialog>
  )
}
