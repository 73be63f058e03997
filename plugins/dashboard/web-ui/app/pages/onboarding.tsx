/** The first steps: a model that is there already, a sign-in, a key, or the scripted demo. */
import { useSignal } from '@preact/signals'
import { KeyRound, Server, Smartphone, Theater } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { Contact } from '../channels/contact.tsx'
import type { ModelOptions } from '../chat/model-picker.tsx'
import { useResource } from '../client/api.ts'
import { bind } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { SignInCard } from '../providers/sign-in-card.tsx'
import { Button, Card, Loaded, Page, Select, TextField } from '../ui/parts.tsx'

interface Offered extends ModelOptions {
  readonly providers: readonly (ModelOptions['providers'][number] & {
    readonly local: boolean
    readonly key_env: readonly string[]
  })[]
}

export function OnboardingPage() {
  const [, navigate] = useLocation()
  const options = useResource((signal) => api.get('/api/model/options', {}, signal), [])
  const use = async (provider: string, model: string | null) => {
    if ((await attempt(() => api.post('/api/model/set', { provider, model }), t('Saved'))) !== undefined)
      navigate('/chat')
  }
  /** The first model of a provider that was connected just now. */
  const connected = async (provider: string) => {
    const found = await attempt(() => api.get('/api/model/options', { provider }))
    const [model] = found?.providers[0]?.models ?? []
    if (model !== undefined) return use(provider, model)
    notify(t('It is connected, and says nothing of its models. Choose one on the page Models.'), 'warning')
    options.reload()
  }
  return (
    <Page title={t('Connect a model')}>
      <Loaded from={options}>
        {({ providers }) => (
          <div class="cards wide-cards">
            <Found providers={providers} use={use} />
            <SignInCard onSignedIn={connected} onUse={connected} />
            <WithKey providers={providers} connected={connected} />
            <Card title={<Titled icon={Theater} text={t('Try it without a model')} />}>
              <p>{t('A scripted demo is no AI, but it uses the real tools.')}</p>
              <Button onClick={() => use('demo', 'demo')}>{t('Use the demo')}</Button>
            </Card>
            <FromPhone />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Titled({ icon: Icon, text }: { icon: typeof Server; text: string }) {
  return (
    <>
      <Icon size={17} aria-hidden="true" /> {text}
    </>
  )
}

/** The platforms that a running gateway has connected. */
function FromPhone() {
  const listed = useResource((signal) => api.get('/api/messaging/platforms', {}, signal), [], 10_000)
  const reached = (listed.data?.platforms ?? []).flatMap(({ id, name, contact }) =>
    contact === null ? [] : [{ id, name, contact }],
  )
  return (
    <Card title={<Titled icon={Smartphone} text={t('From a phone')} />}>
      {reached.length === 0 && <p>{t('Set up a chat platform, and write to the agent from a phone.')}</p>}
      {reached.map(({ id, name, contact }) => (
        <section key={id} aria-label={name}>
          <h3>{name}</h3>
          <Contact name={name} contact={contact} />
        </section>
      ))}
      <Link href="/channels">{t('Channels')}</Link>
    </Card>
  )
}

type Use = (provider: string, model: string | null) => Promise<void>

function Found({ providers, use }: { providers: Offered['providers']; use: Use }) {
  const ready = providers.filter(
    ({ authenticated, models, slug }) => authenticated && models.length > 0 && slug !== 'demo',
  )
  return (
    <Card title={<Titled icon={Server} text={t('What is there already')} />}>
      {ready.length === 0 && (
        <p>
          {t('No local model server answers and no key is set. Start Ollama, LM Studio or llama.cpp, and look again.')}
        </p>
      )}
      {ready.map(({ slug, name, models }) => (
        <Ready key={slug} slug={slug} name={name} models={models} use={use} />
      ))}
    </Card>
  )
}

function Ready({ slug, name, models, use }: { slug: string; name: string; models: readonly string[]; use: Use }) {
  const model = useSignal(models[0] ?? '')
  return (
    <div class="form">
      <Select label={name} {...bind(model)} options={models.slice(0, 200).map((each) => [each, each] as const)} />
      <Button kind="primary" onClick={() => use(slug, model.value)}>
        {t('Use {name}', { name })}
      </Button>
    </div>
  )
}

interface WithKeyProps {
  readonly providers: Offered['providers']
  connected(provider: string): Promise<void>
}

function WithKey({ providers, connected }: WithKeyProps) {
  const [provider, key] = [useSignal(''), useSignal('')]
  const keyed = providers.filter(({ key_env: names }) => names.length > 0)
  const save = async (event: Event) => {
    event.preventDefault()
    const kept = await attempt(() =>
      api.post('/api/credentials/pool', { provider: provider.value, api_key: key.value }),
    )
    if (kept === undefined) return
    key.value = ''
    await connected(provider.value)
  }
  return (
    <Card title={<Titled icon={KeyRound} text={t('With a key')} />}>
      <form class="form" onSubmit={save}>
        <Select
          label={t('Provider')}
          {...bind(provider)}
          options={[['', t('Choose')], ...keyed.map(({ slug, name }) => [slug, name] as const)]}
        />
        <TextField
          label={t('Key')}
          help={t('It is kept on this machine and never shown again.')}
          type="password"
          autocomplete="off"
          {...bind(key)}
        />
        <Button type="submit" kind="primary" disabled={provider.value === '' || key.value === ''}>
          {t('Connect')}
        </Button>
      </form>
    </Card>
  )
}
