/** One chat platform: how it is, its variables, a look at its connection and a rehearsal. */
import { useSignal } from '@preact/signals'
import { FlaskConical, Plug, QrCode, Settings2 } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Dialog, Switch, Table, TextField } from '../ui/parts.tsx'
import { ContactDialog } from './contact.tsx'
import { PhoneLink } from './phone-link.tsx'

export type PlatformEntry = ResultOf<'GET', '/api/messaging/platforms'>['platforms'][number]

type Rehearsal = ResultOf<'POST', '/api/messaging/platforms/:id/rehearse'>

const tones: Readonly<Record<string, string>> = {
  connected: 'ok',
  degraded: 'warning',
  retrying: 'warning',
  fatal: 'error',
}
const stepTones = { ok: 'ok', warning: 'warning', failed: 'error' }

export function PlatformCard({ platform, reload }: { platform: PlatformEntry; reload: () => void }) {
  const { id, plugin, name, state, enabled, error_message: problem, contact } = platform
  const editing = useToggle()
  const reaching = useToggle()
  const rehearsal = useSignal<Rehearsal | undefined>(undefined)
  const check = async () => {
    const result = await attempt(() => api.post('/api/messaging/platforms/:id/test', undefined, { id }))
    if (result) notify(result.message, result.ok ? 'ok' : 'warning')
  }
  const rehearse = async () => {
    rehearsal.value = await attempt(() => api.post('/api/messaging/platforms/:id/rehearse', {}, { id }))
  }
  return (
    <Card
      title={name}
      actions={<Badge tone={problem ? 'error' : (tones[state] ?? '')}>{state.replaceAll('_', ' ')}</Badge>}
    >
      <p>
        {platform.description} <Link href={`/docs/${plugin}`}>{t('How to set up {name}', { name })}</Link>
      </p>
      {problem && <p class="dim">{problem}</p>}
      <div class="actions">
        <Switch
          label={t('Use {name}', { name })}
          isOn={enabled}
          onChange={(isOn) =>
            attempt(() => api.put('/api/messaging/platforms/:id', { enabled: isOn }, { id }), t('Saved')).then(reload)
          }
        />
        <Button icon={Settings2} kind="quiet" label={t('Set up {name}', { name })} onClick={editing.on} />
        <Button icon={Plug} kind="quiet" label={t('Test {name}', { name })} onClick={check} />
        <Button icon={FlaskConical} kind="quiet" label={t('Rehearse {name}', { name })} onClick={rehearse} />
        {contact !== null && (
          <Button icon={QrCode} kind="quiet" label={t('Reach {name} from a phone', { name })} onClick={reaching.on} />
        )}
      </div>
      {reaching.isOn && contact !== null && <ContactDialog name={name} contact={contact} onClose={reaching.off} />}
      {editing.isOn && <SetUp platform={platform} onClose={editing.off} done={reload} />}
      {rehearsal.value && (
        <Steps name={name} rehearsal={rehearsal.value} onClose={() => (rehearsal.value = undefined)} />
      )}
    </Card>
  )
}

/** A field that is left empty changes nothing. */
function SetUp({ platform, onClose, done }: { platform: PlatformEntry; onClose: () => void; done: () => void }) {
  const { id, name, env_vars: variables } = platform
  const given = useSignal<Readonly<Record<string, string>>>({})
  const cleared = useSignal<readonly string[]>([])
  const finish = () => {
    done()
    onClose()
  }
  const save = async (event: Event) => {
    event.preventDefault()
    const env = Object.fromEntries(
      Object.entries(given.value).filter(([key, value]) => value !== '' && !cleared.value.includes(key)),
    )
    const body = { env, clear_env: cleared.value }
    const saved = await attempt(() => api.put('/api/messaging/platforms/:id', body, { id }), t('Saved'))
    if (saved !== undefined) finish()
  }
  const toggle = (key: string, isOut: boolean) => {
    const others = cleared.value.filter((each) => each !== key)
    cleared.value = isOut ? [...others, key] : others
  }
  return (
    <Dialog title={t('Set up {name}', { name })} onClose={onClose}>
      <PhoneLink id={id} name={name} env={given.value} done={finish} />
      <form class="form" onSubmit={save}>
        {variables.map(({ key, description, is_password: isSecret, is_set: isSet, redacted_value: value }) => (
          <div key={key}>
            <TextField
              label={<code>{key}</code>}
              help={description}
              type={isSecret ? 'password' : 'text'}
              autocomplete="off"
              placeholder={isSet ? (value ?? '') : t('not set')}
              value={given.value[key] ?? ''}
              disabled={cleared.value.includes(key)}
              onValue={(text) => (given.value = { ...given.value, [key]: text })}
            />
            {isSet && (
              <Switch
                label={t('Remove {name}', { name: key })}
                isOn={cleared.value.includes(key)}
                onChange={(isOut) => toggle(key, isOut)}
              />
            )}
          </div>
        ))}
        <div class="actions end">
          <Button type="submit" kind="primary">
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Steps({ name, rehearsal, onClose }: { name: string; rehearsal: Rehearsal; onClose: () => void }) {
  return (
    <Dialog title={t('Rehearsal of {name}', { name })} onClose={onClose}>
      <p class="dim">{t('It ran against a stand-in for the service; nothing left this machine.')}</p>
      <Table label={t('Steps')} head={[t('Step'), t('Result')]}>
        {rehearsal.steps.map(({ name: step, result, detail, advice }) => (
          <tr key={step}>
            <td>{step}</td>
            <td>
              <Badge tone={stepTones[result]}>{result}</Badge> {detail}
              {advice && <p class="help">{advice}</p>}
            </td>
          </tr>
        ))}
      </Table>
    </Dialog>
  )
}
