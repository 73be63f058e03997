/** A bundle for a bug report. Nothing of it leaves the machine until a person sends it. */
import { useSignal } from '@preact/signals'
import { Download, PackageOpen } from 'lucide-preact'
import { downloadLarge } from '../client/download.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Button, Card } from '../ui/parts.tsx'
import { Progress, useAction } from './followed.tsx'

export function DebugCard() {
  const file = useSignal('')
  const { action, isBusy, begin } = useAction()
  const make = () =>
    begin(async () => {
      const begun = await api.post('/api/ops/debug-share', {})
      file.value = begun.file
      return begun
    })
  const save = () => {
    const name = file.value.split(/[\\/]/).at(-1) ?? ''
    return attempt(() => downloadLarge(`/api/ops/debug-share/download?file=${encodeURIComponent(name)}`, name))
  }
  const isReady = action && !action.running && action.error === null
  return (
    <Card
      title={t('Bug report')}
      actions={
        <Button icon={PackageOpen} disabled={isBusy} onClick={make}>
          {t('Make a bundle')}
        </Button>
      }
    >
      <p class="dim">
        {t(
          'A file with versions, checks, settings and logs, without keys and conversations. It is not sent to anyone.',
        )}
      </p>
      {action && <Progress action={action} label={t('Result: {name}', { name: t('Bug report') })} />}
      {isReady && (
        <p class="actions">
          <Button icon={Download} kind="primary" onClick={save}>
            {t('Download the bundle')}
          </Button>
        </p>
      )}
    </Card>
  )
}
