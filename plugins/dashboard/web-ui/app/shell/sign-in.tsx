/** The form to sign in: a page of its own, and over the page that a person works on when the login has ended there. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { msg, t } from '../client/language.ts'
import { listWays, providerAddress, readNext, signIn } from '../client/sign-in.ts'
import { Button, Loaded, TextField } from '../ui/parts.tsx'

/** What an OpenID provider, or the way back from it, refused. Codes of the server. */
const FAILURES: Readonly<Record<string, string>> = {
  login_cancelled: msg('The login was cancelled.'),
  login_not_allowed: msg('You may not sign in here. Ask who runs this server to add you.'),
  login_oidc_unreachable: msg('The sign-in service does not answer. Try again.'),
  login_oidc_clock: msg('The clocks of the server and of the sign-in service differ. Tell who runs this server.'),
  login_oidc_failed: msg('The sign-in service reported an error. Tell who runs this server.'),
  login_state: msg('This login was begun in another browser or is over. Sign in again.'),
}

export function SignInPage() {
  const [, navigate] = useLocation()
  const search = useSearch()
  const failure = new URLSearchParams(search).get('error')
  const next = readNext(search)
  useEffect(() => {
    document.title = `${t('Sign in')} · svc`
  }, [])
  return (
    <main id="main" class="sign-in">
      <section class="card">
        <h1>{t('Sign in to svc')}</h1>
        {failure !== null && (
          <p class="problem" role="alert">
            {t(FAILURES[failure] ?? 'The login failed. Sign in again.')}
          </p>
        )}
        <SignInForm next={next} onDone={() => navigate(next, { replace: true })} />
      </section>
    </main>
  )
}

/** `next`: where a browser comes back to that leaves for a provider. */
export function SignInForm({ next, onDone }: { next: string; onDone: () => void }) {
  const ways = useResource(listWays, [])
  return (
    <Loaded from={ways}>
      {(found) => (
        <div class="form">
          {found.length === 0 && (
            <p>{t('There is no way to sign in here. Open svc on its own machine: svc dashboard')}</p>
          )}
          {found.some((way) => way.supports_password) && <PasswordForm onDone={onDone} />}
          {found
            .filter((way) => !way.supports_password)
            .map(({ name, display_name: label }) => (
              <a key={name} class="button plain" href={providerAddress(name, next)}>
                {t('Sign in with {name}', { name: label })}
              </a>
            ))}
        </div>
      )}
    </Loaded>
  )
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const [name, password, problem, isBusy] = [useSignal(''), useSignal(''), useSignal(''), useSignal(false)]
  const submit = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    problem.value = ''
    try {
      const refusal = await signIn(name.value.trim(), password.value)
      if (refusal === undefined) onDone()
      else problem.value = refusal
    } catch {
      problem.value = t('The server does not answer. Try again.')
    } finally {
      password.value = ''
      isBusy.value = false
    }
  }
  return (
    <form class="form" onSubmit={submit}>
      <TextField
        label={t('Name')}
        {...bind(name)}
        name="username"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
      />
      <TextField
        label={t('Password')}
        {...bind(password)}
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <Button type="submit" kind="primary" disabled={isBusy.value}>
        {t('Sign in')}
      </Button>
    </form>
  )
}
