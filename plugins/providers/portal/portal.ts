/** The subscription as data: the command and the route show the same. */
import { AuxiliaryModels, Config, type PluginContext } from 'svc/sdk'
import { type CredentialInfo, Credentials } from 'svc/sdk/provider'

type Context = Pick<PluginContext<undefined>, 'use'>

export const PROVIDER = 'nous'
export const PORTAL_URL = 'https://portal.nousresearch.com'
const INFERENCE_URL = 'https://inference-api.nousresearch.com/v1'

/** The sign-in that is used: the first that has not ended, or else the first. */
export async function findKey(ctx: Context): Promise<CredentialInfo | undefined> {
  const keys = await ctx.use(Credentials).list(PROVIDER)
  return keys.find(({ status }) => status !== 'dead') ?? keys[0]
}

/** What `model.provider` names; `auto` when it names no provider. */
export function getChatProvider(ctx: Context): string {
  const provider = ctx.use(Config).get('model.provider')
  return typeof provider === 'string' && provider !== '' ? provider : 'auto'
}

/** A use of models, and the provider that serves it. */
export interface Use {
  readonly use: string
  readonly provider: string
  readonly on_subscription: boolean
}

/** The chat and every slot of side work. */
export function listUses(ctx: Context): readonly Use[] {
  const chat = getChatProvider(ctx)
  const slots = ctx.use(AuxiliaryModels).slots()
  return [
    { use: 'chat', provider: chat },
    ...slots.map(({ slot, provider }) => ({ use: slot, provider: provider === 'auto' ? chat : provider })),
  ].map((each) => ({ ...each, on_subscription: each.provider === PROVIDER }))
}

/** The subscription without its uses. */
export function describePortal(key: CredentialInfo | undefined, chat: string) {
  return {
    logged_in: key !== undefined && key.status !== 'dead',
    portal_url: PORTAL_URL,
    inference_url: key?.baseUrl ?? INFERENCE_URL,
    provider: chat,
    subscription_url: `${PORTAL_URL}/billing`,
    ...(key && { account: key.account ?? key.label, renewed: key.isRenewed === true }),
    ...(key?.error !== undefined && { error: key.error }),
  }
}
