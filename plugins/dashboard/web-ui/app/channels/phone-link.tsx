/** Links a platform to the account of a phone: the phone scans a code, and the page waits for it. */
import { useSignal } from '@preact/signals'
import { Smartphone } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Loading } from '../ui/parts.tsx'
import { QrCode } from '../ui/qr-code.tsx'

type Started = ResultOf<'POST', '/api/messaging/:id/onboarding/start'>
type Status = ResultOf<'GET', '/api/messaging/:id/onboarding/:pairing'>

const POLL_MS = 1500

interface PhoneLinkProps {
  readonly id: string
  readonly name: string
  /** Variables as they are about to be set. */
  readonly env: Readonly<Record<string, string>>
  readonly done: () => void
}

/** Nothing where the account of the platform is not that of a phone. */
export function PhoneLink({ id, name, env, done }: PhoneLinkProps) {
  const offered = useResource((signal) => api.get('/api/messaging/:id/onboarding', { id }, signal), [id])
  const started = useSignal<Started | undefined>(undefined)
  const start = async () => {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
    started.value = await attempt(() => api.post('/api/messaging/:id/onboarding/start', { env: given }, { id }))
  }
  const leave = () => {
    started.value = undefined
  }
  if (!offered.data?.available) return null
  if (started.value) return <Waiting id={id} name={name} started={started.value} onClose={leave} done={done} />
  return (
    <p>
      <Button icon={Smartphone} onClick={start}>
        {t('Link a phone')}
      </Button>
    </p>
  )
}

interface WaitingProps extends Omit<PhoneLinkProps, 'env'> {
  readonly started: Started
  readonly onClose: () => void
}

function Waiting({ id, name, started, onClose, done }: WaitingProps) {
  const pairing = started.pairing_id
  const status = useResource<Status>(
    (signal) => api.get('/api/messaging/:id/onboarding/:pairing', { id, pairing }, signal),
    [pairing],
    POLL_MS,
  )
  // A code that is not shown any more must not be good any more.
  useEffect(
    () => () => void api.remove('/api/messaging/:id/onboarding/:pairing', { id, pairing }).catch(() => undefined),
    [pairing],
  )
  const apply = async () => {
    const place = { id, pairing }
    const applied = await attempt(() => api.post('/api/messaging/:id/onboarding/:pairing/apply', {}, place), t('Saved'))
    if (applied) done()
  }
  const { status: state = 'waiting', account, error } = status.data ?? {}
  return (
    <div class="phone-link" role="status">
      {state === 'waiting' && (
        <>
          <p>{t('Scan this on the phone: {place}', { place: started.instructions })}</p>
          <QrCode address={started.qr_payload} title={name} />
          <Loading />
        </>
      )}
      {state === 'ready' && <p>{t('The phone has agreed: {account}', { account: account ?? '' })}</p>}
      {state === 'failed' && <p>{error}</p>}
      <div class="actions">
        {state === 'ready' && (
          <Button kind="primary" onClick={apply}>
            {t('Use {name}', { name: account ?? name })}
          </Button>
        )}
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </div>
  )
}
