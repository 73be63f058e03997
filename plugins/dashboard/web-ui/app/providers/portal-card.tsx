/** The subscription to the portal: who is signed in, and which work runs on it. */
import { ExternalLink, Ticket } from 'lucide-preact'
import { type Resource, useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Card, Fold, Loaded, Table } from '../ui/parts.tsx'

type Portal = ResultOf<'GET', '/api/portal'>

/** The portal; the page reads it again after a change of a sign-in. */
export function usePortal(): Resource<Portal> {
  return useResource((signal) => api.get('/api/portal', {}, signal), [])
}

const tones = { subscription: 'ok', 'signed-out': 'warning', other: '' }

export function PortalCard({ from }: { from: Resource<Portal> }) {
  return (
    <Card
      title={
        <>
          <Ticket size={17} aria-hidden="true" /> {t('Subscription to the Nous Portal')}
        </>
      }
    >
      <Loaded from={from}>{(portal) => <Shown portal={portal} />}</Loaded>
    </Card>
  )
}

function Shown({ portal }: { portal: Portal }) {
  const { logged_in: isSignedIn, account, error, features, subscription_url: url } = portal
  const states = {
    subscription: t('on the subscription'),
    'signed-out': t('no one is signed in'),
    other: t('elsewhere'),
  }
  return (
    <>
      <p class="actions">
        <Badge tone={isSignedIn ? 'ok' : ''}>{isSignedIn ? t('signed in') : t('not signed in')}</Badge>{' '}
        {isSignedIn && account}
      </p>
      {error !== null && <p class="finding problem">{error}</p>}
      {!isSignedIn && <p class="dim">{t('Choose it under "By signing in" to run models on a subscription.')}</p>}
      <Fold summary={t('What runs on the subscription')} open={isSignedIn}>
        <Table label={t('What runs on the subscription')} head={[t('For'), t('State'), t('Provider')]}>
          {features.map(({ label, state, provider }) => (
            <tr key={label}>
              <td>{label.replaceAll('_', ' ')}</td>
              <td>
                <Badge tone={tones[state]}>{states[state]}</Badge>
              </td>
              <td>{provider}</td>
            </tr>
          ))}
        </Table>
      </Fold>
      <p>
        <a class="button quiet" href={url} target="_blank" rel="noreferrer">
          {t('Manage the subscription')} <ExternalLink size={13} aria-hidden="true" />
          <span class="hidden"> {t('(in another tab)')}</span>
        </a>
      </p>
    </>
  )
}
