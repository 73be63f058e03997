/** `/connect custom`: any OpenAI-compatible server. Its address and key are written when a model of it was found. */
import { Config, errorCode, Net, Secrets } from 'svc/sdk'
import { Credentials, ModelServers } from 'svc/sdk/provider'
import { type Connection, type Dialogue, refusedText } from './dialogue.ts'
import { createConnection, findModel, type ModelSearch } from './find-model.ts'
import { type EnteredKey, keyVariable, storeKey } from './server-key.ts'

const SETTING = 'model.base_url'
/** The provider that asks such a server. */
const PROVIDER = 'custom'
/** Has no key of its own: a stored key belongs to the configured server and is not sent to another one. */
const TRIAL_PROVIDER = 'connect'
const REACH_MS = 5000

/** `isKnown`: the address that is configured is taken, with its key. */
export async function connectServer(dialogue: Dialogue, isKnown: boolean): Promise<Connection> {
  const { t } = dialogue
  const place = isKnown ? await readConfigured(dialogue) : await askPlace(dialogue)
  if (!place) return undefined
  const { address } = place
  const label = new URL(address).host
  let { key } = place
  let hasNewKey = !isKnown && key !== undefined
  while (true) {
    const found = await tryServer(dialogue, { address, label, isKnown, key, hasNewKey })
    if (found.state === 'found')
      return keep(dialogue, found, { address, label, isKnown, key: hasNewKey ? key : undefined })
    if (found.state !== 'refused') return createConnection(found, { label, t })
    key = await askSecret(
      dialogue,
      t('{provider} refused the key. Enter another one, or press Esc to leave', { provider: label }),
    )
    if (!key) return { problem: refusedText({ label, name: PROVIDER }, t) }
    hasNewKey = true
  }
}

interface Trial extends Pick<EnteredKey, 'key' | 'isKnown'> {
  readonly address: string
  readonly label: string
  /** The key was just entered. */
  readonly hasNewKey: boolean
}

function tryServer(dialogue: Dialogue, { address, label, isKnown, key, hasNewKey }: Trial): Promise<ModelSearch> {
  const name = isKnown ? PROVIDER : TRIAL_PROVIDER
  const server = { name, label, baseUrl: address, setting: SETTING, ...(key && { trialKey: key }) }
  const provider = dialogue.ctx.use(ModelServers).at(server)
  return findModel(dialogue, { provider, list: () => provider.models(), hasNewKey })
}

/** What is to be written, with the key where it takes effect. */
async function keep(
  dialogue: Dialogue,
  found: Extract<ModelSearch, { state: 'found' }>,
  server: Omit<Trial, 'hasNewKey'>,
): Promise<Connection> {
  const { ctx, t } = dialogue
  const { address, label, key, isKnown } = server
  const isSameServer = ['', address].includes(String(ctx.use(Config).get(SETTING) ?? ''))
  const stored = await storeKey(dialogue, PROVIDER, { key, isSameServer, isKnown })
  const edits = [{ path: SETTING, value: address }, ...stored.edits]
  const warning = [found.warning, stored.note].filter((text) => text !== undefined).join('\n\n')
  return createConnection({ ...found, ...(warning !== '' && { warning }) }, { label, edits, t })
}

interface ServerAddress {
  readonly address: string
  readonly key?: string
}

/** Without a key when the pool has one: the provider takes it from there. */
async function readConfigured({ ctx }: Dialogue): Promise<ServerAddress> {
  const variable = keyVariable(ctx, PROVIDER)
  const pool = (await ctx.find(Credentials)?.list(PROVIDER)) ?? []
  const key = variable === undefined || pool.length > 0 ? undefined : ctx.use(Secrets).get(variable)
  return { address: String(ctx.use(Config).get(SETTING)), ...(key !== undefined && { key }) }
}

/** Undefined when the person left it. */
async function askPlace(dialogue: Dialogue): Promise<ServerAddress | undefined> {
  const { at, asking, ctx, t } = dialogue
  const address = await askAddress(dialogue)
  if (address === undefined) return undefined
  if (keyVariable(ctx, PROVIDER) === undefined) return { address }
  const items = [
    { id: 'no', label: t('No') },
    { id: 'yes', label: t('Yes') },
  ]
  const needsKey = await asking.choose({ title: t('Does it need a key?'), items }, at.signal)
  if (needsKey !== 'yes') return needsKey === undefined ? undefined : { address }
  const key = await askSecret(dialogue, t('Its key'))
  return key ? { address, key } : undefined
}

/** It is masked in logs from now on. */
async function askSecret({ ctx, at, asking }: Dialogue, text: string): Promise<string | undefined> {
  const key = (await asking.ask({ text, secret: true }, at.signal))?.trim()
  if (key) ctx.use(Secrets).protect(key)
  return key
}

/** Asks again until it is a web address; undefined when the person left it. A key typed here is not stored as an address. */
async function askAddress({ ctx, at: { signal }, asking: { ask }, t }: Dialogue): Promise<string | undefined> {
  let text = t('Address of the server, such as http://localhost:8000/v1')
  while (true) {
    const address = (await ask({ text }, signal))?.trim()
    if (!address) return undefined
    if (!/^https?:/i.test(address) || !URL.canParse(address))
      text = t('That is not an address. It begins with http:// or https://, such as http://localhost:8000/v1')
    else if (await isReachable(ctx, address, signal)) return address
    else text = t('Nothing answers at {address}. Start the server, or correct the address', { address })
  }
}

/** Any answer will do, also a refusal; a server that is slow to answer is there. */
export async function isReachable(ctx: Dialogue['ctx'], address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await ctx.use(Net).request({ url: address, timeoutMs: REACH_MS, signal })
    response.close()
    return true
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.debug('a model server does not answer', { address, error })
    return errorCode(error) !== 'NET_UNREACHABLE'
  }
}
