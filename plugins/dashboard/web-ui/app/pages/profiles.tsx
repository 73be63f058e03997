/** Profiles: homes beside each other. */
import { useSignal } from '@preact/signals'
import { Pencil, Plus, Star, Trash2, Type } from 'lucide-preact'
import { useLocation, useRoute } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { ProfileBuilder } from '../profiles/builder.tsx'
import { Badge, Button, Card, Confirm, Dialog, Loaded, Page, TextField } from '../ui/parts.tsx'

export type Profile = Profiles['profiles'][number]

export type Profiles = ResultOf<'GET', '/api/profiles'>

export function ProfilesPage() {
  const [, navigate] = useLocation()
  const [isNew] = useRoute('/profiles/new')
  const listed = useResource((signal) => api.get('/api/profiles', {}, signal), [isNew])
  if (isNew) return <ProfileBuilder profiles={listed.data?.profiles ?? []} />
  return (
    <Page
      title={t('Profiles')}
      actions={
        <Button icon={Plus} kind="primary" onClick={() => navigate('/profiles/new')}>
          {t('New profile')}
        </Button>
      }
    >
      <p class="dim">{t('Each profile has its own settings, keys, skills, memories and conversations.')}</p>
      <Loaded from={listed}>
        {({ profiles, current }) => (
          <div class="cards">
            {profiles.map((profile) => (
              <ProfileCard
                key={profile.name}
                profile={profile}
                isCurrent={profile.name === current}
                reload={listed.reload}
              />
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

interface CardProps {
  readonly profile: Profile
  readonly isCurrent: boolean
  readonly reload: () => void
}

function ProfileCard({ profile, isCurrent, reload }: CardProps) {
  const { name, description, model, provider, is_active: isActive, is_default: isDefault } = profile
  return (
    <Card
      title={name}
      actions={
        <>
          {isCurrent && <Badge tone="ok">{t('shown here')}</Badge>}
          {isActive && <Badge>{t('active')}</Badge>}
          {profile.gateway_running && <Badge>{t('gateway')}</Badge>}
        </>
      }
    >
      <p dir="auto">{description}</p>
      <p class="dim">
        {model ? [provider, model].filter(Boolean).join(' · ') : t('No model is chosen.')}
        {' · '}
        {t('{count, plural, one {# skill} other {# skills}}', { count: profile.skill_count })}
      </p>
      <div class="actions">
        {!isActive && <Choose name={name} reload={reload} />}
        <Describe profile={profile} reload={reload} />
        {!isDefault && !isCurrent && <Rename name={name} reload={reload} />}
        {!isDefault && !isCurrent && !isActive && <Delete name={name} reload={reload} />}
      </div>
    </Card>
  )
}

interface ActionProps {
  readonly name: string
  readonly reload: () => void
}

function Choose({ name, reload }: ActionProps) {
  const asking = useToggle()
  return (
    <>
      <Button icon={Star} kind="quiet" label={t('Use {name}', { name })} onClick={asking.on} />
      {asking.isOn && (
        <Confirm
          title={t('Use {name}', { name })}
          text={t('Commands that name no profile use this one from now on. What runs already stays in its own.')}
          action={t('Use')}
          onClose={asking.off}
          onConfirm={() => attempt(() => api.post('/api/profiles/active', { name }), t('Saved')).then(reload)}
        />
      )}
    </>
  )
}

function Describe({ profile: { name, description }, reload }: { profile: Profile; reload: () => void }) {
  const editing = useToggle()
  const text = useSignal(description)
  const save = async (event: Event) => {
    event.preventDefault()
    const body = { description: text.value }
    const saved = await attempt(() => api.put('/api/profiles/:name/description', body, { name }), t('Saved'))
    if (saved === undefined) return
    editing.off()
    reload()
  }
  const write = async () => {
    const written = await attempt(() => api.post('/api/profiles/:name/describe-auto', { overwrite: true }, { name }))
    if (written?.ok) text.value = written.description
    else if (written?.reason) notify(written.reason, 'error')
    reload()
  }
  return (
    <>
      <Button icon={Pencil} kind="quiet" label={t('Describe {name}', { name })} onClick={editing.on} />
      {editing.isOn && (
        <Dialog title={t('Describe {name}', { name })} onClose={editing.off}>
          <form class="form" onSubmit={save}>
            <TextField label={t('What it is for')} maxLength={2000} {...bind(text)} />
            <div class="actions end">
              <Button onClick={write}>{t('Have a model write it')}</Button>
              <Button type="submit" kind="primary">
                {t('Save')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

function Rename({ name, reload }: ActionProps) {
  const editing = useToggle()
  const wanted = useSignal(name)
  const save = async (event: Event) => {
    event.preventDefault()
    const body = { new_name: wanted.value.trim() }
    const saved = await attempt(() => api.patch('/api/profiles/:name', body, { name }), t('Saved'))
    if (saved === undefined) return
    editing.off()
    reload()
  }
  return (
    <>
      <Button icon={Type} kind="quiet" label={t('Rename {name}', { name })} onClick={editing.on} />
      {editing.isOn && (
        <Dialog title={t('Rename {name}', { name })} onClose={editing.off}>
          <form class="form" onSubmit={save}>
            <TextField label={t('New name')} required maxLength={64} {...bind(wanted)} />
            <div class="actions end">
              <Button type="submit" kind="primary" disabled={wanted.value.trim() === name}>
                {t('Rename')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

function Delete({ name, reload }: ActionProps) {
  const asking = useToggle()
  return (
    <>
      <Button icon={Trash2} kind="quiet" label={t('Delete {name}', { name })} onClick={asking.on} />
      {asking.isOn && (
        <Confirm
          title={t('Delete {name}', { name })}
          text={t(
            'Its settings, keys, memories and conversations move to the trash. Within 30 days svc profile restore brings them back.',
          )}
          action={t('Delete')}
          onClose={asking.off}
          onConfirm={() => attempt(() => api.remove('/api/profiles/:name', { name }), t('Deleted')).then(reload)}
        />
      )}
    </>
  )
}
