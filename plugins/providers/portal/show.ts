/** What `svc portal` shows. */
import { AuxiliaryModels, type CliArguments, type CliContext, Config, type PluginContext } from 'svc/sdk'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { type CredentialInfo, Credentials } from 'svc/sdk/provider'

type Context = PluginContext<undefined>

const PROVIDER = 'nous'
const PORTAL_URL = 'https://portal.nousresearch.com'
const INFERENCE_URL = 'https://inference-api.nousresearch.com/v1'

/** Ends with 1 while no one is signed in, or the sign-in has ended. */
export async function showStatus(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const keys = await ctx.use(Credentials).list(PROVIDER)
  const key = keys.find(({ status }) => status !== 'dead') ?? keys[0]
  const isSignedIn = key !== undefined && key.status !== 'dead'
  const chat = getChatProvider(ctx)
  if (hasFlag(input, 'json')) printJson(io, toJson(key, chat))
  else for (const line of [...toLines(key, chat), `Subscription: ${PORTAL_URL}`]) io.out(`${safeLine(line)}\n`)
  return isSignedIn ? 0 : 1
}

function toJson(key: CredentialInfo | undefined, chat: string): object {
  const own = key && { account: key.account ?? key.label, renewed: key.isRenewed === true, error: key.error }
  return {
    logged_in: key !== undefined && key.status !== 'dead',
    portal_url: PORTAL_URL,
    inference_url: key?.baseUrl ?? INFERENCE_URL,
    provider: chat,
    subscription_url: `${PORTAL_URL}/billing`,
    ...own,
  }
}

function toLines(key: CredentialInfo | undefined, chat: string): readonly string[] {
  if (!key) return ['No one is signed in to the Nous Portal. Sign in with `svc auth add nous`.']
  const { account, label, status, error = 'it was refused', isRenewed } = key
  if (status === 'dead') return [`The sign-in has ended: ${error} Sign in again with \`svc auth add nous\`.`]
  return [
    `Signed in as ${account ?? label}${isRenewed ? ', renewed by itself' : ''}.`,
    chat === PROVIDER ? 'It answers in chat.' : `It does not answer in chat (${chat} does): svc model set nous <model>`,
  ]
}

/** The chat and every slot of side work, with who does it. */
export async function showTools(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const chat = getChatProvider(ctx)
  const slots = ctx.use(AuxiliaryModels).slots()
  const uses = [
    { use: 'chat', provider: chat },
    ...slots.map(({ slot, provider }) => ({ use: slot, provider: provider === 'auto' ? chat : provider })),
  ].map((each) => ({ ...each, on_subscription: each.provider === PROVIDER }))
  if (hasFlag(input, 'json')) {
    printJson(io, { tools: uses })
    return 0
  }
  const width = Math.max(...uses.map(({ use }) => use.length))
  for (const { use, provider, on_subscription: isOn } of uses)
    io.out(`${isOn ? '+' : '-'} ${use.padEnd(width)}  ${isOn ? 'on the subscription' : safeLine(provider)}\n`)
  return 0
}

function getChatProvider(ctx: Context): string {
  const provider = ctx.use(Config).get('model.provider')
  return typeof provider === 'string' && provider !== '' ? provider : 'auto'
}
