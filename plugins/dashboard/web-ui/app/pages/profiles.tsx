/** Profiles: homes side by side. */
import { get, useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { Badge, Card, Loaded, Page } from '../ui/parts.tsx'

interface Profiles {
  readonly profiles: readonly {
    readonly name: string
    readonly description?: string
    readonly model?: string
    readonly provider?: string
  }[]
  readonly current: string
}

export function ProfilesPage() {
  const profiles = useResource((signal) => get<Profiles>('/api/profiles', {}, signal), [])
  return (
    <Page title={t('Profiles')}>
      <p class="dim">
        {t('Each profile has a home of its own. Make one with')} <code>svc profile create</code>
      </p>
      <Loaded from={profiles}>
        {({ profiles: list, current }) => (
          <div class="cards">
            {list.map(({ name, description, model, provider }) => (
              <Card key={name} title={name} actions={name === current && <Badge tone="ok">{t('in use')}</Badge>}>
                <p dir="auto">{description ?? ''}</p>
                {model && <p class="dim">{[provider, model].filter(Boolean).join(' · ')}</p>}
              </Card>
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  )
}
