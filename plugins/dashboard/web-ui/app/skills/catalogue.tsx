/** The catalogue of MCP servers: install one with its keys, and remove it. */
import { useSignal } from '@preact/signals'
import { Download, Trash2 } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Card, Confirm, Loaded, TextField } from '../ui/parts.tsx'

type Entry = ResultOf<'GET', '/api/mcp/catalog'>['entries'][number]

interface CatalogueProps {
  /** Another one makes it read the catalogue again. */
  readonly version: number
  readonly changed: () => void
}

export function McpCatalogue({ version, changed }: CatalogueProps) {
  const listed = useResource((signal) => api.get('/api/mcp/catalog', {}, signal), [version])
  const reload = () => {
    listed.reload()
    changed()
  }
  return (
    <Loaded from={listed}>
      {({ entries, diagnostics }) => (
        <>
          {diagnostics.map(({ name, message }) => (
            <p key={name} class="dim">
              {message}
            </p>
          ))}
          <div class="cards spaced">
            {entries.map((entry) => (
              <EntryCard key={entry.name} entry={entry} reload={reload} />
            ))}
          </div>
        </>
      )}
    </Loaded>
  )
}

function EntryCard({ entry, reload }: { entry: Entry; reload: () => void }) {
  const { name, description, transport, state } = entry
  const [installing, removing] = [useToggle(), useToggle()]
  const isInstalled = state === 'enabled' || state === 'disabled'
  return (
    <Card title={name} actions={isInstalled && <Badge tone="ok">{t('installed')}</Badge>}>
      <p class="clamp">{description}</p>
      <p class="actions">
        <Badge>{transport}</Badge>
        {isInstalled ? (
          <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name })} onClick={removing.on} />
        ) : (
          <Button icon={Download} kind="quiet" label={t('Install {name}', { name })} onClick={installing.on} />
        )}
      </p>
      {installing.isOn && <Install entry={entry} onClose={installing.off} done={reload} />}
      {removing.isOn && (
        <Confirm
          title={t('Remove {name}', { name })}
          text={t('Its settings and what its installation made are removed. Its keys stay.')}
          action={t('Remove')}
          onClose={removing.off}
          onConfirm={() => attempt(() => api.remove('/api/mcp/catalog/:name', { name }), t('Removed')).then(reload)}
        />
      )}
    </Card>
  )
}

function Install({ entry, onClose, done }: { entry: Entry; onClose: () => void; done: () => void }) {
  const { name, state, runs, required_env: variables } = entry
  const env = useSignal<Readonly<Record<string, string>>>({})
  const install = async () => {
    const given = Object.fromEntries(Object.entries(env.value).filter(([, value]) => value !== ''))
    const body = { name, env: given, replace: state === 'other' }
    const installed = await attempt(
      () => api.post('/api/mcp/catalog/install', body),
      t('{name} is installed.', { name }),
    )
    if (installed === undefined) return
    done()
    onClose()
  }
  return (
    <FormDialog title={t('Install {name}', { name })} action={t('Install')} onSubmit={install} onClose={onClose}>
      {state === 'other' && <p>{t('Another server of this name is configured. It is replaced.')}</p>}
      <pre class="code-block">{runs.map((line) => line.trim()).join('\n')}</pre>
      {variables.map(({ name: key, prompt, required, secret, default: usual }) => (
        <TextField
          key={key}
          label={<code>{key}</code>}
          help={prompt ?? (required ? t('needed') : '')}
          type={secret ? 'password' : 'text'}
          autocomplete="off"
          placeholder={usual ?? ''}
          value={env.value[key] ?? ''}
          onValue={(value) => {
            env.value = { ...env.value, [key]: value }
          }}
        />
      ))}
    </FormDialog>
  )
}
