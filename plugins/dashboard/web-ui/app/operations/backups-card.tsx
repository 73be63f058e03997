/** Backups of the home: made, checked and downloaded here; put back in a terminal. */
import { useSignal } from '@preact/signals'
import { Archive, Download } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { downloadLarge } from '../client/download.ts'
import { bytes, dateTime, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Dialog, Empty, Loaded, Table, TextField } from '../ui/parts.tsx'
import { Progress, useAction } from './followed.tsx'

type Backup = ResultOf<'GET', '/api/ops/backups'>['backups'][number]

export function BackupsCard() {
  const listed = useResource((signal) => api.get('/api/ops/backups', {}, signal), [])
  const { action, isBusy, begin } = useAction(listed.reload)
  const wanted = useSignal<Backup | undefined>(undefined)
  const checked = useSignal<Backup | undefined>(undefined)
  const verify = (archive: string, passphrase?: string) =>
    begin(() => api.post('/api/ops/backup/verify', { archive, ...(passphrase !== undefined && { passphrase }) }))
  const check = (backup: Backup) => {
    if (!backup.encrypted) return verify(backup.name)
    checked.value = backup
    return undefined
  }
  const save = ({ name }: Backup) =>
    attempt(() => downloadLarge(`/api/ops/backup/download?archive=${encodeURIComponent(name)}`, name))
  return (
    <Card
      title={t('Backups')}
      actions={
        <Button icon={Archive} disabled={isBusy} onClick={() => begin(() => api.post('/api/ops/backup', {}))}>
          {t('Back up')}
        </Button>
      }
    >
      <Loaded from={listed}>
        {({ backups, folder }) =>
          backups.length === 0 ? (
            <Empty icon={Archive}>{t('There is no backup in {folder} yet.', { folder })}</Empty>
          ) : (
            <>
              <p class="dim">
                {t('To put one back, in a terminal:')} <code>svc backup restore</code>
              </p>
              <Table label={t('Backups')} head={[t('Time'), t('Name'), t('Size'), '']}>
                {backups.map((each) => (
                  <tr key={each.name}>
                    <td>{dateTime(each.created_at)}</td>
                    <td>
                      {each.name} {each.encrypted && <Badge tone="ok">{t('encrypted')}</Badge>}
                    </td>
                    <td>{bytes(each.bytes)}</td>
                    <td class="actions">
                      <Button kind="quiet" disabled={isBusy} onClick={() => check(each)}>
                        {t('Check')}
                      </Button>
                      <Button icon={Download} kind="quiet" onClick={() => (wanted.value = each)}>
                        {t('Download')}
                      </Button>
                    </td>
                  </tr>
                ))}
              </Table>
            </>
          )
        }
      </Loaded>
      {action && <Progress action={action} label={t('Result: {name}', { name: t('Backups') })} />}
      {wanted.value && (
        <Confirm
          title={t('Download a backup')}
          text={
            wanted.value.encrypted
              ? t('It is encrypted: it is of no use without the passphrase.')
              : t('It holds keys and conversations in plain text.')
          }
          action={t('Download')}
          onConfirm={() => wanted.value && save(wanted.value)}
          onClose={() => (wanted.value = undefined)}
        />
      )}
      {checked.value && (
        <Passphrase
          onGiven={(passphrase) => verify(checked.value?.name ?? '', passphrase)}
          onClose={() => (checked.value = undefined)}
        />
      )}
    </Card>
  )
}

function Passphrase({ onGiven, onClose }: { onGiven(passphrase: string): unknown; onClose(): void }) {
  const typed = useSignal('')
  const give = async (event: Event) => {
    event.preventDefault()
    await onGiven(typed.value)
    onClose()
  }
  return (
    <Dialog title={t('Check an encrypted backup')} onClose={onClose}>
      <form onSubmit={give}>
        <TextField
          label={t('Passphrase')}
          type="password"
          value={typed.value}
          onValue={(value) => (typed.value = value)}
        />
        <div class="actions end">
          <Button type="submit" kind="primary" disabled={typed.value === ''}>
            {t('Check')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
