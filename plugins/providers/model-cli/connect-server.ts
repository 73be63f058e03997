/** `/connect custom`: any OpenAI-compatible server. Its address and key are written when a model of it was found. */
import { Config, type ConfigEdit, errorCode, errorMessage, ModelServers, Net, Providers, Secrets } from 'svc/sdk'
import { type Connection, type Dialogue, refusedText } from './dialogue.ts'
import { connectionOf, findModel } from './find-model.ts'

const SETTING = 'model.base_url'
/** The provider that asks such a server; its entry says which variable keeps the key. */
const PROVIDER = 'custom'
const REACH_MS = 5000

/** `isKnown`: the address that is configured is taken, with its key. */
export async function connectServer(dialogue: Dialogue, isKnown: boolean): Promise<Connection> {
  const { ctx, t } = dialogue
  const place = isKnown ? configured(dialogue) : await askPlace(dialogue)
  if (!place) return undefined
  const { address } = place
  const label = new URL(address).host
  let { key } = place
  let hasNewKey = !isKnown && key !== undefined
  while (true) {
    const server = { name: PROVIDER, label, baseUrl: address, setting: SETTING, ...(key && { trialKey: key }) }
    const provider = ctx.use(ModelServers).at(server)
    const found = await findModel(dialogue, { provider, list: () => provider.models(), hasNewKey })
    if (found.state !== 'refused') {
      const edits = [{ path: SETTING, value: address }, ...keyEdits(dialogue, key, hasNewKey)]
      return connectionOf(found, { label, edits, t })
    }
    key = await askSecret(
      dialogue,
      t('{provider} refused the key. Enter another one, or press Esc to leave', { provider: label }),
    )
    if (!key) return { problem: refusedText({ label, name: PROVIDER }, t) }
    hasNewKey = true
  }
}

interface Place {
  readonly address: string
  readonly key?: string
}

/** The variable that keeps the key; undefined when the provider takes none. */
function keyVariable(ctx: Dialogue['ctx']): string | undefined {
  return ctx.all(Providers).get(PROVIDER)?.auth?.keyNames?.[0]
}

function configured({ ctx }: Dialogue): Place {
  const variable = keyVariable(ctx)
  const key = variable === undefined ? undefined : ctx.use(Secrets).get(variable)
  return { address: String(ctx.use(Config).get(SETTING)), ...(key !== undefined && { key }) }
}

/** Undefined when the person left it. */
async function askPlace(dialogue: Dialogue): Promise<Place | undefined> {
  const { at, asking, ctx, t } = dialogue
  const address = await askAddress(dialogue)
  if (address === undefined) return undefined
  if (keyVariable(ctx) === undefined) return { address }
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

/** A key belongs to one server: that of an earlier one is not left to be sent to this one. */
function keyEdits({ ctx }: Dialogue, key: string | undefined, hasNewKey: boolean): readonly ConfigEdit[] {
  const path = keyVariable(ctx)
  if (path === undefined) return []
  if (hasNewKey) return [{ path, value: key }]
  const isStale = !key && ctx.use(Secrets).source(path) === '.env'
  return isStale ? [{ path, value: undefined }] : []
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
async function isReachable(ctx: Dialogue['ctx'], address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await ctx.use(Net).request({ url: address, timeoutMs: REACH_MS, signal })
    response.close()
    return true
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.debug('a model server does not answer', { address, error: errorMessage(error) })
    return errorCode(error) !== 'NET_UNREACHABLE'
  }
}
