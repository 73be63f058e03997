/** One sign-in to a model service: the code to enter there, or the page that shows a code to paste here. */
import { useSignal } from '@preact/signals'
import { CircleAlert, Copy, ExternalLink } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Loaded, TextField } from '../ui/parts.tsx'

type Started = ResultOf<'POST', '/api/providers/oauth/:id/start'>
type Polled = ResultOf<'GET', '/api/providers/oauth/:id/poll/:session'>

/** The server asks the service as often as that allows. */
const POLL_MS = 1500

interface SignInFlowProps {
  readonly id: string
  readonly name: string
  /** The person is signed in. */
  onDone(): void
  onCancel(): void
}

export function SignInFlow(props: SignInFlowProps) {
  const { id } = props
  const started = useResource((signal) => api.post('/api/providers/oauth/:id/start', {}, { id }, signal), [id])
  return (
    <div class="sign-in-flow">
      <Loaded from={started}>
        {(step) => <Pending key={step.session_id} {...props} started={step} again={started.reload} />}
      </Loaded>
      {!started.data && <Button onClick={props.onCancel}>{t('Cancel')}</Button>}
    </div>
  )
}

function Pending({
  id,
  name,
  started,
  again,
  onDone,
  onCancel,
}: SignInFlowProps & { started: Started; again(): void }) {
  const session = started.session_id
  const refused = useSignal<string | undefined>(undefined)
  const poll = useResource(
    (signal) => api.get('/api/providers/oauth/:id/poll/:session', { id, session }, signal),
    [session],
    POLL_MS,
  )
  const status = poll.data?.status ?? 'pending'
  useEffect(() => {
    if (status === 'approved') onDone()
  }, [status])
  // Left on another way than by its end: nothing is stored then.
  useEffect(
    () => () => void api.remove('/api/providers/oauth/sessions/:session', { session }).catch(() => {}),
    [session],
  )
  if (status !== 'pending' && status !== 'approved')
    return <Ended status={status} message={poll.data?.error_message ?? null} again={again} onCancel={onCancel} />
  return (
    <>
      {started.flow === 'device_code' ? (
        <DeviceCode name={name} started={started} />
      ) : (
        <PastedCode
          id={id}
          name={name}
          started={started}
          refused={refused.value}
          refuse={(text) => (refused.value = text)}
          reload={poll.reload}
        />
      )}
      <p role="status" class="dim">
        <span class="dots" aria-hidden="true" />
        {t('Waiting until you are done there.')}
      </p>
      <Button onClick={onCancel}>{t('Cancel')}</Button>
    </>
  )
}

function DeviceCode({ name, started }: { name: string; started: Extract<Started, { flow: 'device_code' }> }) {
  const { user_code: code, verification_url: url, verification_url_complete: completeUrl } = started
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => notify(t('Copied'), 'ok'),
      () => notify(t('The browser does not allow that.'), 'warning'),
    )
  return (
    <>
      <p>{t('Open the page of {name}, at any device, and enter this code:', { name })}</p>
      <p class="actions">
        <output class="user-code" aria-label={t('Code')} dir="ltr">
          {code}
        </output>
        <Button icon={Copy} kind="quiet" label={t('Copy the code')} onClick={copy} />
      </p>
      <p>
        <Outside url={completeUrl ?? url}>{url}</Outside>
      </p>
    </>
  )
}

interface PastedProps {
  readonly id: string
  readonly name: string
  readonly started: Extract<Started, { flow: 'pkce' }>
  readonly refused: string | undefined
  refuse(text: string | undefined): void
  reload(): void
}

function PastedCode({ id, name, started, refused, refuse, reload }: PastedProps) {
  const code = useSignal('')
  const submit = async (event: Event) => {
    event.preventDefault()
    refuse(undefined)
    const body = { session_id: started.session_id, code: code.value.trim() }
    const done = await attempt(() => api.post('/api/providers/oauth/:id/submit', body, { id }))
    if (done?.ok === false) refuse(done.message ?? t('The code was refused.'))
    reload()
  }
  return (
    <>
      <p>
        <Outside url={started.auth_url}>{t('Open the page of {name}', { name })}</Outside>
      </p>
      <p class="dim">
        {started.returns === 'paste'
          ? t('Sign in there. It shows a code: paste it here.')
          : t(
              'Sign in there. If your browser cannot come back to this machine, paste the address that it was sent to.',
            )}
      </p>
      <form class="form" onSubmit={submit}>
        <TextField label={t('Code')} required autocomplete="off" spellcheck={false} {...bind(code)} />
        <div class="actions">
          <Button type="submit" kind="primary" disabled={code.value.trim() === ''}>
            {t('Continue')}
          </Button>
        </div>
      </form>
      {refused !== undefined && (
        <p class="finding problem" role="alert">
          <CircleAlert size={15} aria-hidden="true" /> <span>{refused}</span>
        </p>
      )}
    </>
  )
}

interface EndedProps {
  readonly status: Exclude<Polled['status'], 'pending' | 'approved'>
  readonly message: string | null
  again(): void
  onCancel(): void
}

function Ended({ status, message, again, onCancel }: EndedProps) {
  const reasons = {
    denied: t('It was declined at the service.'),
    expired: t('Its time is over.'),
    error: t('It did not work.'),
  }
  return (
    <>
      <p class="finding problem" role="alert">
        <CircleAlert size={15} aria-hidden="true" /> <span>{message ?? reasons[status]}</span>
      </p>
      <div class="actions">
        <Button kind="primary" onClick={again}>
          {t('Try again')}
        </Button>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </div>
    </>
  )
}

function Outside({ url, children }: { url: string; children: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {children} <ExternalLink size={13} aria-hidden="true" />
      <span class="hidden"> {t('(in another tab)')}</span>
    </a>
  )
}
