/** Keys of providers and other variables. Values are masked until one is shown. */
import { useSignal } from '@preact/signals'
import { Eye, KeyRound, Plus, Trash2 } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { PortalCard, usePortal } from '../providers/portal-card.tsx'
import { SignInCard } from '../providers/sign-in-card.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Card, Confirm, Dialog, Loaded, Page, Select, Table, TextField } from '../ui/parts.tsx'

interface Variable {
  readonly key: string
  readonly is_set: boolean
  readonly source: string | null
  readonly redacted_value: string | null
  readonly description: string
  readonly is_password: boolean
  readonly plugins: readonly string[]
  readonly kind: string
}

interface PoolEntry {
  readonly id: string
  readonly provider: string
  readonly label: string
  readonly auth_type: string
  readonly source: string
  readonly status: 'ok' | 'exhausted' | 'dead'
  readonly error: string | null
}

const tones = { ok: 'ok', exhausted: 'warning', dead: 'error' }

export function KeysPage() {
  const [search, shown] = [useSignal(''), useSignal('set')]
  const adding = useToggle()
  const pool = useResource((signal) => api.get('/api/credentials/pool', {}, signal), [])
  const variables = useResource((signal) => api.get('/api/env', {}, signal), [])
  const portal = usePortal()
  const reload = () => {
    pool.reload()
    portal.reload()
  }
  return (
    <Page
      title={t('Keys')}
      actions={
        <Button icon={Plus} kind="primary" onClick={adding.on}>
          {t('Add a key')}
        </Button>
      }
    >
      <Card title={t('Kept for providers')}>
        <Loaded from={pool}>
          {({ entries }) =>
            entries.length === 0 ? (
              <p class="dim">{t('No key is kept yet.')}</p>
            ) : (
              <Table label={t('Kept for providers')} head={[t('Provider'), t('Name'), t('State'), '']}>
                {entries.map((entry) => (
                  <PoolRow key={entry.id} entry={entry} reload={reload} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </Card>
      <SignInCard onSignedIn={reload} />
      <PortalCard from={portal} />
      <div class="filters">
        <input
          class="input"
          type="search"
          aria-label={t('Search variables')}
          placeholder={t('Search variables')}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value
          }}
        />
        <Select
          isHidden
          label={t('Which')}
          {...bind(shown)}
          options={[
            ['set', t('Those that are set')],
            ['provider', t('Providers')],
            ['platform', t('Chat platforms')],
            ['', t('All')],
          ]}
        />
      </div>
      <Loaded from={variables}>
        {({ variables: all }) => {
          const words = search.value.toLowerCase()
          const isShown = (variable: Variable) =>
            words !== ''
              ? `${variable.key} ${variable.description}`.toLowerCase().includes(words)
              : shown.value === 'set'
                ? variable.is_set
                : shown.value === '' || variable.kind === shown.value
          const found = all.filter(isShown)
          return found.length === 0 ? (
            <p class="dim">{t('Nothing was found.')}</p>
          ) : (
            <Table label={t('Variables')} head={[t('Variable'), t('Value'), '']}>
              {found.map((variable) => (
                <VariableRow key={variable.key} variable={variable} reload={variables.reload} />
              ))}
            </Table>
          )
        }}
      </Loaded>
      {adding.isOn && <AddKey onClose={adding.off} done={reload} />}
    </Page>
  )
}

function PoolRow({ entry, reload }: { entry: PoolEntry; reload: () => void }) {
  const { id, provider, label, status, error } = entry
  const removing = useToggle()
  const take = () => api.remove('/api/credentials/pool/:provider/:id', { provider, id })
  return (
    <tr>
      <td>{provider}</td>
      <td>
        {label} <Badge>{entry.source}</Badge>
      </td>
      <td>
        <Badge tone={tones[status]}>{status}</Badge> {error && <span class="dim">{error}</span>}
      </td>
      <td>
        <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name: label })} onClick={removing.on} />
        {removing.isOn && (
          <Confirm
            title={t('Remove the key')}
            text={t('It can be restored within a day with svc auth.')}
            action={t('Remove')}
            onClose={removing.off}
            onConfirm={() => attempt(take, t('Removed')).then(reload)}
          />
        )}
      </td>
    </tr>
  )
}

function VariableRow({ variable, reload }: { variable: Variable; reload: () => void }) {
  const { key, is_set: isSet, description, is_password: isSecret, source } = variable
  const value = useSignal('')
  const revealed = useSignal<string | undefined>(undefined)
  const editing = useToggle()
  const reveal = async () => {
    const shown = await attempt(() => api.post('/api/env/reveal', { key }))
    revealed.value = shown?.value
  }
  const save = async () => {
    if ((await attempt(() => api.put('/api/env', { key, value: value.value }), t('Saved'))) === undefined) return
    editing.off()
    reload()
  }
  return (
    <tr>
      <td>
        <code>{key}</code>
        <p class="help">{description}</p>
      </td>
      <td>
        {isSet ? <code>{revealed.value ?? variable.redacted_value}</code> : <span class="dim">{t('not set')}</span>}{' '}
        {source && <Badge>{source}</Badge>}
      </td>
      <td class="actions">
        {isSet && isSecret && (
          <Button icon={Eye} kind="quiet" label={t('Show {name}', { name: key })} onClick={reveal} />
        )}
        <Button icon={KeyRound} kind="quiet" label={t('Set {name}', { name: key })} onClick={editing.on} />
        {isSet && source === '.env' && (
          <Button
            icon={Trash2}
            kind="quiet"
            label={t('Remove {name}', { name: key })}
            onClick={() => attempt(() => api.remove('/api/env', {}, { key }), t('Removed')).then(reload)}
          />
        )}
        {editing.isOn && (
          <FormDialog title={key} action={t('Save')} onSubmit={save} onClose={editing.off}>
            <TextField
              label={t('Value')}
              help={description}
              type={isSecret ? 'password' : 'text'}
              autocomplete="off"
              required
              {...bind(value)}
            />
          </FormDialog>
        )}
      </td>
    </tr>
  )
}

function AddKey({ onClose, done }: { onClose: () => void; done: () => void }) {
  const [provider, key, label] = [useSignal(''), useSignal(''), useSignal('')]
  const options = useResource((signal) => api.get('/api/model/options', {}, signal), [])
  const save = async (event: Event) => {
    event.preventDefault()
    const body = { provider: provider.value, api_key: key.value, ...(label.value && { label: label.value }) }
    if ((await attempt(() => api.post('/api/credentials/pool', body), t('The key is kept.'))) === undefined) return
    done()
    onClose()
  }
  return (
    <Dialog title={t('Add a key')} onClose={onClose}>
      <Loaded from={options}>
        {({ providers }) => (
          <form class="form" onSubmit={save}>
            <Select
              label={t('Provider')}
              {...bind(provider)}
              options={[
                ['', t('Choose')],
                ...providers
                  .filter(({ key_env: names }) => names.length > 0)
                  .map(({ slug, name }) => [slug, name] as const),
              ]}
            />
            <TextField label={t('Key')} type="password" autocomplete="off" required {...bind(key)} />
            <TextField label={t('Name')} help={t('To tell several keys apart.')} {...bind(label)} />
            <div class="actions end">
              <Button type="submit" kind="primary" disabled={provider.value === '' || key.value === ''}>
                {t('Save')}
              </Button>
            </div>
          </form>
        )}
      </Loaded>
    </Dialog>
  )
}
