/** Commands that run at moments of a conversation: what each did last, a new one, and the removal. */
import { useSignal } from '@preact/signals'
import { Plus, Trash2 } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { ago, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Card, Confirm, Loaded, Select, Table, TextField } from '../ui/parts.tsx'

type Hooks = ResultOf<'GET', '/api/ops/hooks'>
type Hook = Hooks['hooks'][number]

export function HooksCard() {
  const listed = useResource((signal) => api.get('/api/ops/hooks', {}, signal), [])
  const adding = useToggle()
  return (
    <Card
      title={t('Hooks')}
      actions={
        <Button icon={Plus} disabled={!listed.data} onClick={adding.on}>
          {t('Add a hook')}
        </Button>
      }
    >
      <p class="dim">{t('Commands that run on this machine at moments of a conversation.')}</p>
      <Loaded from={listed}>
        {({ hooks, problems }) => (
          <>
            {problems.map((problem) => (
              <p key={problem}>
                <Badge tone="error">{problem}</Badge>
              </p>
            ))}
            {hooks.length === 0 ? (
              <p class="dim">{t('There are no hooks.')}</p>
            ) : (
              <Table label={t('Hooks')} head={[t('Moment'), t('Command'), t('Last run'), '']}>
                {hooks.map((hook) => (
                  <Row key={hook.id} hook={hook} reload={listed.reload} />
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
      {adding.isOn && <AddHook events={listed.data?.valid_events ?? []} onClose={adding.off} done={listed.reload} />}
    </Card>
  )
}

function Row({ hook, reload }: { hook: Hook; reload: () => void }) {
  const { event, matcher, command, source, last } = hook
  const removing = useToggle()
  return (
    <tr>
      <td>
        {event} {matcher !== '' && <p class="help">{matcher}</p>}
      </td>
      <td>
        <code>{command}</code>
      </td>
      <td>{last === null ? t('never') : `${last.result}, ${ago(last.at)}`}</td>
      <td class="actions">
        {source === 'config' && (
          <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name: command })} onClick={removing.on} />
        )}
        {removing.isOn && (
          <Confirm
            title={t('Remove {name}', { name: event })}
            text={command}
            action={t('Remove')}
            onClose={removing.off}
            onConfirm={() =>
              attempt(() => api.remove('/api/ops/hooks', {}, { event, command }), t('Removed')).then(reload)
            }
          />
        )}
      </td>
    </tr>
  )
}

interface AddHookProps {
  readonly events: readonly string[]
  onClose(): void
  done(): void
}

function AddHook({ events, onClose, done }: AddHookProps) {
  const [event, matcher, command] = [useSignal(events[0] ?? ''), useSignal(''), useSignal('')]
  const save = async () => {
    const body = { event: event.value, matcher: matcher.value, command: command.value, approve: true as const }
    const added = await attempt(() => api.post('/api/ops/hooks', body), t('Saved'))
    if (!added) return
    done()
    onClose()
  }
  return (
    <FormDialog title={t('Add a hook')} action={t('Add')} onSubmit={save} onClose={onClose}>
      <Select label={t('Moment')} {...bind(event)} options={events.map((each) => [each, each] as const)} />
      <TextField label={t('Tools')} help={t('A pattern of names; empty: all.')} {...bind(matcher)} />
      <TextField
        label={t('Command')}
        help={t('It runs with your rights each time, without a question.')}
        required
        {...bind(command)}
      />
    </FormDialog>
  )
}
