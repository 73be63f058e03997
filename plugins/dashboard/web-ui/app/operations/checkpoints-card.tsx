/** What the checkpoints of all folders take, and a pass that deletes old ones. */
import { useSignal } from '@preact/signals'
import { Eraser } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { ago, bytes, t } from '../client/language.ts'
import { api } from '../client/typed.ts'
import { Button, Card, Confirm, Loaded, Table } from '../ui/parts.tsx'
import { Progress, useAction } from './followed.tsx'

export function CheckpointsCard() {
  const listed = useResource((signal) => api.get('/api/ops/checkpoints', {}, signal), [])
  const { action, isBusy, begin } = useAction(listed.reload)
  const isAsking = useSignal(false)
  return (
    <Card
      title={t('Checkpoints')}
      actions={
        <Button icon={Eraser} disabled={isBusy} onClick={() => (isAsking.value = true)}>
          {t('Delete old ones')}
        </Button>
      }
    >
      <Loaded from={listed}>
        {({ folders, total_bytes: total }) => (
          <>
            <p>{t('{size} in all.', { size: bytes(total) })}</p>
            {folders.length > 0 && (
              <Table label={t('Checkpoints by folder')} head={[t('Folder'), t('Checkpoints'), t('The newest')]}>
                {folders.map(({ root, checkpoints, newest_at: newestAt }) => (
                  <tr key={root}>
                    <td dir="ltr">{root}</td>
                    <td>{checkpoints}</td>
                    <td>{ago(newestAt)}</td>
                  </tr>
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
      {action && <Progress action={action} label={t('Result: {name}', { name: t('Checkpoints') })} />}
      {isAsking.value && (
        <Confirm
          title={t('Delete old checkpoints')}
          text={t('Those beyond the limits of the settings are deleted, which cannot be taken back.')}
          action={t('Delete')}
          onConfirm={() => begin(() => api.post('/api/ops/checkpoints/prune', {}))}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </Card>
  )
}
