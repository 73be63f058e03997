/** What `svc portal` shows. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { CredentialInfo } from 'svc/sdk/provider'
import { describePortal, findKey, getChatProvider, listUses, PORTAL_URL, PROVIDER } from './portal.ts'

type Context = PluginContext<undefined>

/** Ends with 1 while no one is signed in, or the sign-in has ended. */
export async function showStatus(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const key = await findKey(ctx)
  const chat = getChatProvider(ctx)
  const state = describePortal(key, chat)
  if (hasFlag(input, 'json')) printJson(io, state)
  else for (const line of [...toLines(key, chat), `Subscription: ${PORTAL_URL}`]) io.out(`${safeLine(line)}\n`)
  return state.logged_in ? 0 : 1
}

function toLines(key: CredentialInfo | undefined, chat: string): readonly string[] {
  if (!key) return ['No one is signed in to the Nous Portal. Sign in with `svc auth add nous`.']
  const { account, label, status, error = 'it was refused', isRenewed } = key
  if (status === 'dead') return [`The sign-in has ended: ${error} Sign in again with \`svc auth add nous\`.`]
  return [
    `Signed in as ${account ?? label}${isRenewed ? ', renewed automatically' : ''}.`,
    chat === PROVIDER ? 'It answers in chat.' : `It does not answer in chat (${chat} does): svc model set nous <model>`,
  ]
}

/** The chat and every slot of side work, with who does it. */
export async function showTools(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const uses = listUses(ctx)
  if (hasFlag(input, 'json')) {
    printJson(io, { tools: uses })
    return 0
  }
  const width = Math.max(...uses.map(({ use }) => use.length))
  for (const { use, provider, on_subscription: isOn } of uses)
    io.out(`${isOn ? '+' : '-'} ${use.padEnd(width)}  ${isOn ? 'on the subscription' : safeLine(provider)}\n`)
  return 0
}
