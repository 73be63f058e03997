/** Exports and backups of another machine: chosen, looked at, and taken over after a question. */
import { useSignal } from '@preact/signals'
import { Upload } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { Button, Card } from '../ui/parts.tsx'
import { Progress, useAction } from './followed.tsx'
import { ImportDialog, type Imported } from './import-dialog.tsx'

/** The server takes 100 MiB with the form around the file. */
const MAX_BYTES = 100_000_000

export function ImportCard() {
  const picker = useRef<HTMLInputElement>(null)
  const chosen = useSignal<File | undefined>(undefined)
  const outcome = useSignal<Imported | undefined>(undefined)
  const { action, isBusy, begin } = useAction()
  const choose = (file: File | undefined) => {
    if (!file) return
    if (file.size > MAX_BYTES)
      notify(t('{name} is larger than 100 MB. Import it in a terminal: svc import FILE', { name: file.name }), 'error')
    else chosen.value = file
  }
  const take = async (imported: Imported) => {
    outcome.value = imported
    const { name, started_at: at } = imported.result
    if (name !== undefined && at !== undefined) await begin(async () => ({ name, started_at: at }))
  }
  const { result, profile } = outcome.value ?? {}
  const isDone = action?.running === false && !action.error && result?.ok === true
  return (
    <Card
      title={t('Import')}
      actions={
        <>
          <input
            ref={picker}
            type="file"
            hidden
            onChange={(event) => {
              choose(event.currentTarget.files?.[0])
              event.currentTarget.value = ''
            }}
          />
          <Button icon={Upload} disabled={isBusy} onClick={() => picker.current?.click()}>
            {t('Choose a file')}
          </Button>
        </>
      }
    >
      <p class="dim">{t('An export or a backup of another machine. What it would change is shown before.')}</p>
      {action && result?.ok && <Progress action={action} label={t('Result: {name}', { name: t('Import') })} />}
      {isDone && (
        <p>
          {t('To use it, start svc with the profile {profile}. To take the import back:', { profile: profile ?? '' })}{' '}
          <code>{`svc -p ${profile} backup restore --undo`}</code>
        </p>
      )}
      {result?.ok === false && <InTerminal command={result.command ?? ''} />}
      {chosen.value && <ImportDialog file={chosen.value} onTaken={take} onClose={() => (chosen.value = undefined)} />}
    </Card>
  )
}

/** For the home in which the dashboard runs. */
function InTerminal({ command }: { command: string }) {
  return (
    <div class="operation" role="status">
      <p>{t('The file is stored on the machine of svc, and nothing was changed yet. In a terminal there:')}</p>
      <ol class="steps">
        <li>
          {t('End the gateway and the dashboard:')} <code>svc gateway stop</code> <code>svc dashboard --stop</code>
        </li>
        <li>
          {t('Import the file:')} <code>{command}</code>
        </li>
        <li>
          {t('Start again what you use:')} <code>svc gateway start</code> <code>svc dashboard</code>
        </li>
      </ol>
    </div>
  )
}
