/** What a file holds and would change, and the question whether it is imported. */
import { useSignal } from '@preact/signals'
import { TriangleAlert } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { request, useResource } from '../client/api.ts'
import { dateTime, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Dialog, Failed, Loading, Select, TextField } from '../ui/parts.tsx'

type Preview = ResultOf<'POST', '/api/ops/import-preview'>
export interface Imported {
  readonly result: ResultOf<'POST', '/api/ops/import-upload'>
  readonly profile: string
}

interface ImportDialogProps {
  readonly file: File
  onTaken(imported: Imported): void
  onClose(): void
}

const DEFAULT = 'default'
/** How a file that age has encrypted begins. */
const ENCRYPTED = 'age-'

export function ImportDialog({ file, onTaken, onClose }: ImportDialogProps) {
  const profiles = useResource((signal) => api.get('/api/profiles', {}, signal), [])
  const profile = useSignal(DEFAULT)
  const typed = useSignal('')
  /** Undefined until it is known whether one is needed, and until it is given. */
  const passphrase = useSignal<string | undefined>(undefined)
  const isEncrypted = useSignal(false)
  useEffect(() => {
    void isSealed(file).then((sealed) => {
      isEncrypted.value = sealed
      if (!sealed) passphrase.value = ''
    })
  }, [file])
  const send = <T,>(path: string, signal?: AbortSignal) =>
    request<T>('POST', path, {
      query: { profile: profile.value },
      body: createForm(file, passphrase.value),
      ...(signal && { signal }),
    })
  const given = passphrase.value
  const read = useResource<Preview | undefined>(
    async (signal) => (given === undefined ? undefined : await send('/api/ops/import-preview', signal)),
    [profile.value, given],
  )
  // What was read before is of the profile or passphrase before.
  const preview = read.data?.profile === profile.value && !read.error ? read.data : undefined
  const take = async () => {
    const result = await attempt(() => send<Imported['result']>('/api/ops/import-upload'))
    if (!result) return
    onTaken({ result, profile: profile.value })
    onClose()
  }
  const names = profiles.data?.profiles.map(({ name }) => name) ?? []
  return (
    <Dialog title={t('Import {name}', { name: file.name })} onClose={onClose}>
      <Select
        label={t('Into the profile')}
        value={profile.value}
        options={[DEFAULT, ...names.filter((name) => name !== DEFAULT)].map((name) => [name, name] as const)}
        onValue={(value) => (profile.value = value)}
      />
      {isEncrypted.value && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            passphrase.value = typed.value
          }}
        >
          <TextField
            label={t('Passphrase')}
            type="password"
            autocomplete="off"
            value={typed.value}
            onValue={(value) => (typed.value = value)}
          />
          <div class="actions end">
            <Button type="submit" disabled={typed.value === ''}>
              {t('Check')}
            </Button>
          </div>
        </form>
      )}
      {given !== undefined && read.error && <Failed error={read.error} />}
      {given !== undefined && !read.error && !preview && <Loading />}
      {preview && <Plan preview={preview} />}
      <div class="actions end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button kind="primary" disabled={!preview} onClick={take}>
          {preview?.home_in_use ? t('Store the file and show the commands') : t('Import')}
        </Button>
      </div>
    </Dialog>
  )
}

function Plan({ preview }: { preview: Preview }) {
  const { kind, created, program, plan, home_in_use: isInUse } = preview
  const made = { at: dateTime(Date.parse(created)), version: program }
  return (
    <section class="operation" aria-label={t('What would change')}>
      <p role="status">
        {kind === 'export'
          ? t('An export of {at}, made by svc {version}.', made)
          : t('A backup of {at}, made by svc {version}.', made)}{' '}
        {plan &&
          t('{count, plural, one {# file is taken over} other {# files are taken over}}.', { count: plan.files })}
      </p>
      {!plan && <p>{t('A backup replaces all of the home. A backup of the home as it is now is stored before.')}</p>}
      {plan && plan.replaced.length === 0 && <p>{t('No file is replaced.')}</p>}
      {plan && plan.replaced.length > 0 && (
        <Paths title={t('These files are replaced, after a backup:')} paths={plan.replaced} />
      )}
      {plan && plan.ignored.length > 0 && (
        <Paths title={t('These files are not taken over, because no plugin here knows them:')} paths={plan.ignored} />
      )}
      {plan?.notes.map((note) => (
        <p key={note} dir="auto">
          {note}
        </p>
      ))}
      <p class="finding warning">
        <TriangleAlert size={15} aria-hidden="true" />{' '}
        <span>
          {t('Settings can start programs and change what needs an approval: import only files that you exported.')}
        </span>
      </p>
      {isInUse && (
        <p>
          {t('svc runs in this home, so the import is made in a terminal. The file is stored, and nothing is changed.')}
        </p>
      )}
    </section>
  )
}

function Paths({ title, paths }: { title: string; paths: readonly string[] }) {
  return (
    <>
      <p>{title}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard */}
      <pre class="tool-text" tabIndex={0} dir="ltr">
        {paths.join('\n')}
      </pre>
    </>
  )
}

async function isSealed(file: File): Promise<boolean> {
  return (await file.slice(0, ENCRYPTED.length).text()) === ENCRYPTED
}

/** As import-upload takes it. */
function createForm(file: File, passphrase = ''): FormData {
  const form = new FormData()
  form.set('file', file)
  form.set('force', 'true')
  if (passphrase !== '') form.set('passphrase', passphrase)
  return form
}
