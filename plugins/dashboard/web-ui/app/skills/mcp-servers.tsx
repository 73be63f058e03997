/** MCP servers of config.yaml: add, switch, test, sign in, remove. */
import { useSignal } from '@preact/signals'
import { Plus, Trash2 } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Card, Confirm, Empty, Loaded, Switch, TextField } from '../ui/parts.tsx'
import { McpCatalogue } from './catalogue.tsx'

type Server = ResultOf<'GET', '/api/mcp/servers'>['servers'][number]

export function McpServers() {
  const listed = useResource((signal) => api.get('/api/mcp/servers', {}, signal), [])
  const [adding, version] = [useToggle(), useSignal(0)]
  const reload = () => {
    listed.reload()
    version.value++
  }
  return (
    <>
      <div class="actions end">
        <Button icon={Plus} onClick={adding.on}>
          {t('Add a server')}
        </Button>
      </div>
      <Loaded from={listed}>
        {({ servers }) =>
          servers.length === 0 ? (
            <Empty>{t('No MCP server is configured. Add one, or install one from the catalogue.')}</Empty>
          ) : (
            <div class="cards">
              {servers.map((server) => (
                <ServerCard key={server.name} server={server} reload={reload} />
              ))}
            </div>
          )
        }
      </Loaded>
      {adding.isOn && <AddServer onClose={adding.off} done={reload} />}
      <h2>{t('Catalogue')}</h2>
      <McpCatalogue version={version.value} changed={listed.reload} />
    </>
  )
}

function ServerCard({ server, reload }: { server: Server; reload: () => void }) {
  const { name, transport, target, state, tools, error } = server
  const removing = useToggle()
  const test = async () => {
    const result = await attempt(() => api.post('/api/mcp/servers/:name/test', undefined, { name }))
    if (result)
      notify(
        result.ok ? t('{name} offers {count} tools.', { name, count: result.tools.length }) : (result.error ?? ''),
        result.ok ? 'ok' : 'error',
      )
    reload()
  }
  const signIn = async () => {
    // Opened before the answer comes: a browser opens no window later than the click.
    const page = window.open('about:blank', '_blank')
    const begun = await attempt(() => api.post('/api/mcp/servers/:name/auth', undefined, { name }))
    if (begun && page) page.location.href = begun.auth_url
    else page?.close()
  }
  const toggle = (enabled: boolean) =>
    attempt(() => api.put('/api/mcp/servers/:name/enabled', { enabled }, { name })).then(reload)
  return (
    <Card title={name} actions={<Switch label={name} isOn={state !== 'disabled'} onChange={toggle} />}>
      <p class="actions">
        <Badge>{transport}</Badge>
        <Badge tone={error ? 'error' : ''}>{state}</Badge>
      </p>
      <p class="dim" dir="ltr">
        {target}
      </p>
      <p>{t('{count} tools', { count: tools.length })}</p>
      {error && <p>{error}</p>}
      <p class="actions">
        <Button onClick={test}>{t('Test')}</Button>
        {state === 'sign-in' && <Button onClick={signIn}>{t('Sign in')}</Button>}
        <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name })} onClick={removing.on} />
      </p>
      {removing.isOn && (
        <Confirm
          title={t('Remove {name}', { name })}
          text={t('Its settings and sign-ins are removed. Its keys stay.')}
          action={t('Remove')}
          onClose={removing.off}
          onConfirm={() => attempt(() => api.remove('/api/mcp/servers/:name', { name }), t('Removed')).then(reload)}
        />
      )}
    </Card>
  )
}

function AddServer({ onClose, done }: { onClose: () => void; done: () => void }) {
  const [name, place] = [useSignal(''), useSignal('')]
  const save = async () => {
    const typed = place.value.trim()
    const [command = '', ...args] = splitWords(typed)
    const settings = /^https?:\/\//i.test(typed) ? { url: typed } : { command, args }
    const body = { name: name.value.trim(), ...settings }
    if ((await attempt(() => api.post('/api/mcp/servers', body), t('Added'))) === undefined) return
    done()
    onClose()
  }
  return (
    <FormDialog title={t('Add a server')} action={t('Add')} onSubmit={save} onClose={onClose}>
      <TextField label={t('Name')} required maxLength={60} pattern="[A-Za-z0-9_\-]+" {...bind(name)} />
      <TextField
        label={t('Address or command')}
        required
        placeholder="https://example.com/mcp"
        autocomplete="off"
        {...bind(place)}
      />
    </FormDialog>
  )
}

/** Words of a command line; quotes hold several together. Nothing else is special, as no shell reads it. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, plain]) => one ?? two ?? plain ?? '')
}
