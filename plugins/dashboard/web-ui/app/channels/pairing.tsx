/** People who were let in by a code, and those who wait with one. */
import { useSignal } from '@preact/signals'
import { UserCheck, UserX } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { ago, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Loaded, Table, TextField } from '../ui/parts.tsx'

type Person = ResultOf<'GET', '/api/pairing'>['approved'][number]

export function PairingCard() {
  const pairing = useResource((signal) => api.get('/api/pairing', {}, signal), [], 10_000)
  const clear = () => attempt(() => api.post('/api/pairing/clear-pending', {}), t('Removed')).then(pairing.reload)
  return (
    <Card
      title={t('Pairing')}
      actions={
        (pairing.data?.pending.length ?? 0) > 0 && (
          <Button kind="quiet" onClick={clear}>
            {t('Withdraw all codes')}
          </Button>
        )
      }
    >
      <p class="dim">{t('A person who writes for the first time is shown a code and tells it to you.')}</p>
      <Loaded from={pairing}>
        {({ pending, approved }) =>
          pending.length + approved.length === 0 ? (
            <p class="dim">{t('No person is paired, and no one waits.')}</p>
          ) : (
            <Table label={t('Pairing')} head={[t('Person'), t('State'), '']}>
              {pending.map((person) => (
                <Waiting key={`${person.platform} ${person.user_id}`} person={person} reload={pairing.reload} />
              ))}
              {approved.map((person) => (
                <Paired key={`${person.platform} ${person.user_id}`} person={person} reload={pairing.reload} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}

function Name({ person: { platform, user_id: id, user_name: name } }: { person: Person }) {
  return (
    <td>
      <span dir="auto">{name ?? id}</span>{' '}
      <span class="dim">
        {platform} {id}
      </span>
    </td>
  )
}

function Waiting({ person, reload }: { person: Person; reload: () => void }) {
  const code = useSignal('')
  const name = person.user_name ?? person.user_id
  const approve = async (event: Event) => {
    event.preventDefault()
    const body = { platform: person.platform, code: code.value }
    await attempt(() => api.post('/api/pairing/approve', body), t('{name} may write now.', { name }))
    reload()
  }
  return (
    <tr>
      <Name person={person} />
      <td>
        <Badge tone="warning">{t('waits')}</Badge> <span class="dim">{ago(person.at)}</span>
      </td>
      <td>
        <form class="actions" onSubmit={approve}>
          <TextField label={t('Code of {name}', { name })} autocomplete="off" required {...bind(code)} />
          <Button type="submit" icon={UserCheck} disabled={code.value.trim() === ''}>
            {t('Let in')}
          </Button>
        </form>
      </td>
    </tr>
  )
}

function Paired({ person, reload }: { person: Person; reload: () => void }) {
  const removing = useToggle()
  const name = person.user_name ?? person.user_id
  const revoke = () =>
    attempt(
      () => api.post('/api/pairing/revoke', { platform: person.platform, user_id: person.user_id }),
      t('Removed'),
    ).then(reload)
  return (
    <tr>
      <Name person={person} />
      <td>
        <Badge tone="ok">{t('paired')}</Badge> <span class="dim">{ago(person.at)}</span>
      </td>
      <td>
        <Button icon={UserX} kind="quiet" label={t('Remove {name}', { name })} onClick={removing.on} />
        {removing.isOn && (
          <Confirm
            title={t('Remove {name}', { name })}
            text={t('The person cannot write to the agent any more until you let them in again.')}
            action={t('Remove')}
            onClose={removing.off}
            onConfirm={revoke}
          />
        )}
      </td>
    </tr>
  )
}
