/** Whether there is a newer version. It is looked for when a person asks. */

import { useSignal } from '@preact/signals'
import { RefreshCw } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { ago, t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Card, Failed, Loaded } from '../ui/parts.tsx'

type Check = ResultOf<'GET', '/api/svc/update/check'>['check']

export function UpdateCard() {
  const known = useResource((signal) => api.get('/api/svc/update/check', {}, signal), [])
  const failure = useSignal<Error | undefined>(undefined)
  const look = async () => {
    failure.value = undefined
    try {
      await api.get('/api/svc/update/check', { force: '1' })
    } catch (error) {
      failure.value = error as Error
    }
    known.reload()
  }
  return (
    <Card
      title={t('Updates')}
      actions={
        <Button icon={RefreshCw} onClick={look}>
          {t('Look for an update')}
        </Button>
      }
    >
      {failure.value && <Failed error={failure.value} />}
      <Loaded from={known}>{({ check }) => <Found check={check} />}</Loaded>
    </Card>
  )
}

function Found({ check }: { check: Check }) {
  if (!check)
    return (
      <p class="dim">
        {t('It was not looked for an update yet. The registry or the repository is asked only when you do.')}
      </p>
    )
  const { current_version: version, newest, message } = check
  return (
    <div class="operation" role="status">
      <p>
        {check.update_available
          ? t('svc {version} is installed; there is {newest}.', { version, newest: newest ?? '' })
          : message === null
            ? t('svc {version} is the newest.', { version })
            : t('svc {version} is installed.', { version })}{' '}
        <span class="dim">
          {check.install_method} · {ago(check.checked_at)}
        </span>
      </p>
      {message !== null && <p>{message}</p>}
      {check.update_command !== null && (
        <p>
          {t('To take it, in a terminal:')} <code>{check.update_command}</code>
        </p>
      )}
    </div>
  )
}
