/** `/connect <provider>`: a service that is known by name. A key that it refuses is taken back, and the earlier value restored. */
import { Clock, Models, Secrets } from 'svc/sdk'
import { type ConfigChange, ConfigFile } from 'svc/sdk/host'
import { Credentials, type ModelProvider } from 'svc/sdk/provider'
import { chooseWay, connectBySignIn, listFlows } from './connect-sign-in.ts'
import { AUTHOR, type Connection, type Dialogue, refusedText } from './dialogue.ts'
import { createConnection, findModel, type ModelSearch } from './find-model.ts'

const TRIES = 20
const PAUSE_MS = 250

/** Asks for a key if none is stored, and again if it was rejected. */
export async function connectService(dialogue: Dialogue, provider: ModelProvider): Promise<Connection> {
  const { t } = dialogue
  const { label, auth } = provider
  const { ready, detail } = await provider.status()
  const takesKey = auth?.type === 'api-key' && auth.keyNames?.[0] !== undefined
  const flows = ready ? [] : listFlows(dialogue, provider)
  if (flows.length > 0) {
    const way = await chooseWay(dialogue, provider, flows)
    if (way === undefined) return undefined
    if (way !== 'key') return connectBySignIn(dialogue, provider, way)
  }
  if (!ready && !takesKey)
    return { problem: t('{provider} cannot be used: {reason}', { provider: label, reason: detail }) }
  if (ready) {
    const found = await findWith(dialogue, provider, undefined)
    if (found.state !== 'refused') return createConnection(found, { label, t })
    if (!(await canReplaceKey(dialogue, provider))) return { problem: storedKeyText(provider, t) }
  }
  return connectWithNewKey(dialogue, provider, ready)
}

/** Asks until a key is accepted or the person leaves. */
async function connectWithNewKey(dialogue: Dialogue, provider: ModelProvider, wasAsked: boolean): Promise<Connection> {
  let wasRefused = wasAsked
  while (true) {
    const key = await askKey(dialogue, provider, wasRefused)
    if (!key) return wasRefused ? { problem: refusedText(provider, dialogue.t) } : undefined
    const found = await findWith(dialogue, provider, key)
    if (found.state !== 'refused') return createConnection(found, { label: provider.label, t: dialogue.t })
    wasRefused = true
  }
}

/** With a new key, which stays written only when a model was found. */
async function findWith(dialogue: Dialogue, provider: ModelProvider, key: string | undefined): Promise<ModelSearch> {
  const { ctx } = dialogue
  const kept = key === undefined ? undefined : await keepKey(dialogue, provider, key)
  let found: ModelSearch | undefined
  try {
    const list = () => ctx.use(Models).list(provider.name)
    found = await findModel(dialogue, { provider, list, hasNewKey: key !== undefined })
    return found
  } finally {
    if (kept && found?.state !== 'found') await ctx.use(ConfigFile).undo(kept.id)
  }
}

async function askKey(
  { at, asking, t }: Dialogue,
  { label, auth }: ModelProvider,
  wasRefused: boolean,
): Promise<string | undefined> {
  const text = wasRefused
    ? t('{provider} refused the key. Enter another one, or press Esc to leave', { provider: label })
    : t('API key of {provider}', { provider: label })
  const page = auth?.page === undefined ? '' : ` (${auth.page})`
  return (await asking.ask({ text: `${text}${page}`, secret: true }, at.signal))?.trim()
}

/** Writes the key and waits until it is in force; providers see it then, also within this command. */
async function keepKey({ ctx, at }: Dialogue, { auth }: ModelProvider, key: string): Promise<ConfigChange | undefined> {
  const [keyName = ''] = auth?.keyNames ?? []
  const change = await ctx.use(ConfigFile).write([{ path: keyName, value: key }], AUTHOR)
  for (let tries = 0; tries < TRIES && ctx.use(Secrets).get(keyName) !== key; tries++)
    await ctx.use(Clock).sleep(PAUSE_MS, at.signal)
  return change
}

/** Not where another key comes before that of `.env`: one of the environment, or one that `svc auth add` stored. */
async function canReplaceKey({ ctx }: Dialogue, { name, auth }: ModelProvider): Promise<boolean> {
  const keyNames = auth?.keyNames ?? []
  if (auth?.type !== 'api-key' || keyNames.some((each) => ctx.use(Secrets).source(each) === 'environment')) return false
  const stored = await ctx.find(Credentials)?.list(name)
  return stored === undefined || stored.length === 0
}

function storedKeyText({ label, name }: ModelProvider, t: Dialogue['t']): string {
  const values = { provider: label, command: `svc auth add ${name}` }
  return t('{provider} refused the stored key. To store another one, type {command} in a shell.', values)
}
