/** Channels: where people reach the agent. Chat platforms, who was let in, and webhooks. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { PairingCard } from '../channels/pairing.tsx'
import { PlatformCard } from '../channels/platform-card.tsx'
import { WebhooksCard } from '../channels/webhooks.tsx'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { api } from '../client/typed.ts'
import { Loaded, Page, Select } from '../ui/parts.tsx'

export function ChannelsPage() {
  const shown = useSignal('')
  const listed = useResource((signal) => api.get('/api/messaging/platforms', {}, signal), [], 10_000)
  return (
    <Page title={t('Channels')}>
      <Loaded from={listed}>
        {({ gateway_running: isRunning, platforms }) => (
          <>
            <div class="filters">
              <p class="dim">
                {isRunning ? t('The gateway runs.') : t('The gateway does not run.')}{' '}
                <Link href="/operations">{t('Operations')}</Link>
              </p>
              <Select
                isHidden
                label={t('Which')}
                {...bind(shown)}
                options={[
                  ['', t('All')],
                  ['set', t('Those that are set up')],
                ]}
              />
            </div>
            <div class="cards">
              {platforms
                .filter(({ configured }) => configured || shown.value === '')
                .map((platform) => (
                  <PlatformCard key={platform.id} platform={platform} reload={listed.reload} />
                ))}
            </div>
          </>
        )}
      </Loaded>
      <PairingCard />
      <WebhooksCard />
    </Page>
  )
}
