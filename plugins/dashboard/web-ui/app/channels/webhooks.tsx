/** Routes on which other services wake the agent. */
import { useSignal } from '@preact/signals'
import { Plus, Trash2 } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Card, Confirm, Dialog, Field, Loaded, Select, Switch, Table, TextField } from '../ui/parts.tsx'

type Subscription = ResultOf<'GET', '/api/webhooks'>['subscriptions'][number]

export function WebhooksCard() {
  const adding = useToggle()
  const listed = useResource((signal) => api.get('/api/webhooks', {}, signal), [])
  return (
    <Card
      title={t('Webhooks')}
      actions={
        <Button icon={Plus} onClick={adding.on}>
          {t('Add a webhook')}
        </Button>
      }
    >
      <p class="dim">{t('Other services wake the agent by signed events.')}</p>
      <Loaded from={listed}>
        {({ subscriptions }) =>
          subscriptions.length === 0 ? (
            <p class="dim">{t('There are no webhooks.')}</p>
          ) : (
            <Table label={t('Webhooks')} head={[t('Name'), t('Events'), t('Goes to'), t('State'), '']}>
              {subscriptions.map((each) => (
                <Row key={each.name} subscription={each} reload={listed.reload} />
              ))}
            </Table>
          )
        }
      </Loaded>
      {adding.isOn && <AddWebhook styles={listed.data?.styles ?? []} onClose={adding.off} done={listed.reload} />}
    </Card>
  )
}

function Row({ subscription, reload }: { subscription: Subscription; reload: () => void }) {
  const { name, url, events, deliver, enabled, problem, can_change: canChange } = subscription
  const removing = useToggle()
  return (
    <tr>
      <td>
        {name} <p class="help">{url}</p>
      </td>
      <td>{events.join(', ') || t('All')}</td>
      <td>{deliver}</td>
      <td>
        {problem ? (
          <Badge tone="error">{problem}</Badge>
        ) : (
          <Badge tone={enabled ? 'ok' : ''}>{enabled ? t('ready') : t('switched off')}</Badge>
        )}
      </td>
      <td class="actions">
        {canChange && (
          <>
            <Switch
              label={t('Use {name}', { name })}
              isOn={enabled}
              onChange={(enabled) =>
                attempt(() => api.put('/api/webhooks/:name/enabled', { enabled }, { name }), t('Saved')).then(reload)
              }
            />
            <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name })} onClick={removing.on} />
          </>
        )}
        {removing.isOn && (
          <Confirm
            title={t('Remove {name}', { name })}
            text={t('Its secret is removed, too: a new webhook has another one.')}
            action={t('Remove')}
            onClose={removing.off}
            onConfirm={() => attempt(() => api.remove('/api/webhooks/:name', { name }), t('Removed')).then(reload)}
          />
        )}
      </td>
    </tr>
  )
}

type Styles = ResultOf<'GET', '/api/webhooks'>['styles']

function AddWebhook({ styles, onClose, done }: { styles: Styles; onClose: () => void; done: () => void }) {
  const [name, style, events, prompt, deliver] = [
    useSignal(''),
    useSignal('generic'),
    useSignal(''),
    useSignal(''),
    useSignal('log'),
  ]
  const added = useSignal<{ url: string; secret: string } | undefined>(undefined)
  const save = async () => {
    const body = {
      name: name.value,
      style: styles.find((each) => each === style.value),
      prompt: prompt.value,
      deliver: deliver.value,
      events: events.value
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    }
    added.value = await attempt(() => api.post('/api/webhooks', body))
    if (added.value) done()
  }
  if (added.value)
    return (
      <Dialog title={t('Add a webhook')} onClose={onClose}>
        <p>{t('Enter both at the other service. The secret is not shown again.')}</p>
        <p>
          {t('Address')}: <code>{added.value.url}</code>
        </p>
        <p>
          {t('Secret')}: <code>{added.value.secret}</code>
        </p>
        <div class="actions end">
          <Button kind="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </div>
      </Dialog>
    )
  return (
    <FormDialog title={t('Add a webhook')} action={t('Add')} onSubmit={save} onClose={onClose}>
      <TextField label={t('Name')} required pattern="[A-Za-z0-9][A-Za-z0-9_\-]*" {...bind(name)} />
      <Select label={t('Signature')} {...bind(style)} options={styles.map((each) => [each, each] as const)} />
      <TextField label={t('Events')} help={t('Separated by commas; empty: all.')} {...bind(events)} />
      <Field label={t('What to ask')} help={t('{field} is filled in from the event.', { field: '{field}' })}>
        {(id, helpId) => (
          <textarea
            id={id}
            class="input"
            rows={4}
            aria-describedby={helpId}
            value={prompt.value}
            onInput={(event) => (prompt.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <TextField label={t('Goes to')} help={t('log, a platform, or platform:chat')} required {...bind(deliver)} />
    </FormDialog>
  )
}
