/** Signing in to a model service instead of giving it a key. */
import { useSignal } from '@preact/signals'
import { UserRoundCheck } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Loaded, Select } from '../ui/parts.tsx'
import { SignInFlow } from './sign-in-flow.tsx'

type Provider = ResultOf<'GET', '/api/providers/oauth'>['providers'][number]

interface SignInCardProps {
  /** Called with the provider that the person signed in to just now. */
  onSignedIn(provider: string): unknown
  /** Offers to use a provider that the person is signed in to. */
  onUse?(provider: string): unknown
}

export function SignInCard({ onSignedIn, onUse }: SignInCardProps) {
  const listed = useResource((signal) => api.get('/api/providers/oauth', {}, signal), [])
  const chosen = useSignal('')
  const under = useSignal<Provider | undefined>(undefined)
  const done = (provider: Provider) => {
    under.value = undefined
    listed.reload()
    onSignedIn(provider.id)
  }
  return (
    <Card
      title={
        <>
          <UserRoundCheck size={17} aria-hidden="true" /> {t('By signing in')}
        </>
      }
    >
      <Loaded from={listed}>
        {({ providers }) => {
          const provider = providers.find(({ id }) => id === chosen.value)
          if (under.value) {
            const { id, name } = under.value
            const now = under.value
            return (
              <SignInFlow id={id} name={name} onDone={() => done(now)} onCancel={() => (under.value = undefined)} />
            )
          }
          return (
            <div class="form">
              <p class="dim">{t('With an account or a subscription at the service, without a key.')}</p>
              <Select
                label={t('Service')}
                {...bind(chosen)}
                options={[['', t('Choose')], ...providers.map(({ id, name }) => [id, name] as const)]}
              />
              {provider && <Way provider={provider} begin={() => (under.value = provider)} onUse={onUse} />}
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface WayProps {
  readonly provider: Provider
  begin(): void
  readonly onUse: ((provider: string) => unknown) | undefined
}

function Way({ provider, begin, onUse }: WayProps) {
  const { id, flow, status, cli_command: command, name } = provider
  return (
    <>
      {status.logged_in && (
        <p class="actions">
          <Badge tone="ok">{t('signed in')}</Badge> {status.source_label}
        </p>
      )}
      {status.error && <p class="finding problem">{status.error}</p>}
      {flow === 'external' && !status.logged_in && (
        <p>
          {t('Another program signs in to {name}. Run this in a terminal, then load this page again:', { name })}{' '}
          <code>{command}</code>
        </p>
      )}
      <div class="actions">
        {status.logged_in && onUse && (
          <Button kind="primary" onClick={() => onUse(id)}>
            {t('Use {name}', { name })}
          </Button>
        )}
        {flow !== 'external' && (
          <Button kind={status.logged_in && onUse ? 'plain' : 'primary'} onClick={begin}>
            {status.logged_in ? t('Sign in again') : t('Sign in')}
          </Button>
        )}
      </div>
    </>
  )
}
