/** `/connect`: leads a person from no model to one that answers. */
import {
  Clock,
  type CommandPlace,
  type ConfigEdit,
  ConfigFile,
  errorCode,
  errorMessage,
  type FrontEnd,
  type ModelInfo,
  type ModelProvider,
  Models,
  type PluginContext,
  Providers,
  type Translate,
} from 'svc/sdk'
import { type Seen, seeProvider } from './providers.ts'

const DEMO = 'demo'
const TRIES = 20
const PAUSE_MS = 250
/** Within this time a saved config is in force. */
const RELOAD_MS = 1500
const CUSTOM = 'custom'
const AUTHOR = { author: 'model-cli', reason: '/connect' }

/** A front end that can ask. */
type Asking = Required<Pick<FrontEnd, 'choose' | 'ask'>>

/** What was said at the end; undefined when the person left it. */
export async function connect(
  ctx: PluginContext<undefined>,
  wanted: string,
  at: CommandPlace,
  t: Translate,
): Promise<string | undefined> {
  const { front } = at.conversation
  const { choose, ask } = front
  if (!choose || !ask) return t('Type {usage} in a shell.', { usage: '`svc model set <provider> <model>`' })
  const asking = { choose: choose.bind(front), ask: ask.bind(front) }
  const provider = ctx.all(Providers).get(wanted) ?? (await pickProvider(ctx, at, asking, t))
  if (!provider) return undefined
  const isReady = wanted !== '' && (await provider.status()).ready
  const settings = isReady ? [] : await settingsFor(provider, at, asking, t)
  if (!settings) return undefined
  const file = ctx.use(ConfigFile)
  const change = settings.length > 0 ? await file.write(settings, AUTHOR) : undefined
  // A command sees plugins as they were when it began; the next one sees the provider with its new address.
  if (change && provider.name === CUSTOM && wanted === '') {
    const again = async () => {
      await ctx.use(Clock).sleep(RELOAD_MS, at.signal)
      await at.conversation.type(`/connect ${CUSTOM}`)
    }
    void again().catch((error: unknown) => ctx.log.debug('/connect was left', { error: errorMessage(error) }))
    return undefined
  }
  const models = await served(ctx, provider.name, at.signal)
  const model = 'problem' in models ? undefined : await pickModel(models.models, at, asking, t)
  // A wrong key that is kept would not be asked for again.
  if (!model && change) await file.undo(change.id)
  if ('problem' in models) return failed(models, { label: provider.label, isUndone: change !== undefined }, t)
  if (!model) return undefined
  const edits = [
    { path: 'model.provider', value: provider.name },
    { path: 'model.default', value: model },
  ]
  await file.write(edits, AUTHOR)
  at.conversation.change({ provider: undefined, model: undefined })
  const names = { model, provider: provider.label }
  return t('{model} of {provider} answers from now on, everywhere. Take it back with svc config undo.', names)
}

interface Failed {
  readonly problem: string
  readonly isRefused: boolean
}

function failed(
  { problem, isRefused }: Failed,
  { label, isUndone }: { readonly label: string; readonly isUndone: boolean },
  t: Translate,
): string {
  if (!isRefused) return t('{provider} did not answer: {reason}', { provider: label, reason: problem })
  return isUndone
    ? t('{provider} refused the key. It was not kept.', { provider: label })
    : t('{provider} refused the key: {reason}', { provider: label, reason: problem })
}

/** Those that can be used at once come first, then any other server, then those that want a key. */
async function pickProvider(
  ctx: PluginContext<undefined>,
  { signal }: CommandPlace,
  { choose }: Asking,
  t: Translate,
): Promise<ModelProvider | undefined> {
  const providers = ctx
    .all(Providers)
    .all()
    .filter(({ name }) => name !== DEMO)
  const seen = await Promise.all(providers.map((provider) => seeProvider(ctx, provider)))
  const rank = ({ provider, ready, local }: Seen) => (ready ? 0 : provider.name === CUSTOM ? 1 : local ? 3 : 2)
  const sorted = seen.toSorted((one, two) => rank(one) - rank(two))
  const items = sorted.map(({ provider, detail }) => ({
    id: provider.name,
    label: provider.name === CUSTOM ? t('Another server (OpenAI-compatible)') : provider.label,
    detail,
  }))
  const id = await choose({ title: t('Connect a model'), items }, signal)
  return providers.find(({ name }) => name === id)
}

/** The address and the key that are still missing; undefined when the person left it. */
async function settingsFor(
  provider: ModelProvider,
  { signal }: CommandPlace,
  { ask, choose }: Asking,
  t: Translate,
): Promise<readonly ConfigEdit[] | undefined> {
  const { auth, label, name } = provider
  const [keyName] = auth?.keyNames ?? []
  if (name === CUSTOM) {
    const address = await askAddress(signal, ask, t)
    if (address === undefined) return undefined
    const items = [
      { id: 'no', label: t('No') },
      { id: 'yes', label: t('Yes') },
    ]
    const needsKey = await choose({ title: t('Does it need a key?'), items }, signal)
    if (needsKey === undefined) return undefined
    const key = needsKey === 'yes' ? (await ask({ text: t('Its key'), secret: true }, signal))?.trim() : ''
    const edits = [
      { path: 'model.provider', value: CUSTOM },
      { path: 'model.base_url', value: address },
    ]
    return key && keyName !== undefined ? [...edits, { path: keyName, value: key }] : edits
  }
  const { ready } = await provider.status()
  if (ready || auth?.type !== 'api-key' || keyName === undefined) return []
  const page = auth.page === undefined ? '' : ` (${auth.page})`
  const key = (
    await ask({ text: `${t('API key of {provider}', { provider: label })}${page}`, secret: true }, signal)
  )?.trim()
  return key ? [{ path: keyName, value: key }] : undefined
}

/** Asks again until it is a web address; undefined when the person left it. A key typed here is not stored as an address. */
async function askAddress(signal: AbortSignal, ask: Asking['ask'], t: Translate): Promise<string | undefined> {
  let text = t('Address of the server, such as http://localhost:8000/v1')
  while (true) {
    const address = (await ask({ text }, signal))?.trim()
    if (!address) return undefined
    if (/^https?:/i.test(address) && URL.canParse(address)) return address
    text = t('That is not an address. It begins with http:// or https://, such as http://localhost:8000/v1')
  }
}

/** What was just written takes a moment to be in force: providers are reloaded with it. */
async function served(
  ctx: PluginContext<undefined>,
  provider: string,
  signal: AbortSignal,
): Promise<{ readonly models: readonly ModelInfo[] } | Failed> {
  try {
    let models = await ctx.use(Models).list(provider)
    for (let tries = 0; models.length === 0 && tries < TRIES; tries++) {
      await ctx.use(Clock).sleep(PAUSE_MS, signal)
      models = await ctx.use(Models).list(provider)
    }
    return { models }
  } catch (error) {
    return { problem: errorMessage(error), isRefused: errorCode(error) === 'MODEL_KEY_REFUSED' }
  }
}

async function pickModel(
  models: readonly ModelInfo[],
  { signal }: CommandPlace,
  { choose, ask }: Asking,
  t: Translate,
): Promise<string | undefined> {
  if (models.length === 0)
    return (await ask({ text: t('It does not list its models. Name one') }, signal))?.trim() || undefined
  if (models.length === 1) return models[0]?.id
  const items = models.map(({ id, label }) => ({
    id,
    label: id,
    ...(label !== undefined && label !== id && { detail: label }),
  }))
  return choose({ title: t('Models'), items }, signal)
}
