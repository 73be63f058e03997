/** The providers that a person can sign in to, in the form of the dashboard's interface. */
import { logFault, type PluginContext, SvcError } from 'svc/sdk'
import { type CredentialInfo, Credentials, Providers, type SignInFlow, SignInFlows } from 'svc/sdk/provider'

export type Kind = 'pkce' | 'device_code' | 'external'

const KINDS: Readonly<Record<SignInFlow['type'], Kind>> = {
  oauth: 'pkce',
  'device-code': 'device_code',
  'external-command': 'external',
  'cloud-identity': 'external',
}
/** A code works wherever the browser is. */
const ORDER: readonly Kind[] = ['device_code', 'pkce', 'external']

export function getKind({ type }: Pick<SignInFlow, 'type'>): Kind {
  return KINDS[type]
}

/** The flow of a provider that suits a browser best, or the one that has the name. Throws `DASHBOARD_SIGN_IN_UNKNOWN`. */
export function findFlow(ctx: PluginContext<undefined>, id: string): SignInFlow {
  const flows = ctx.all(SignInFlows)
  const own = flows.all().filter(({ provider }) => provider === id)
  const [best] = own.toSorted((one, other) => ORDER.indexOf(getKind(one)) - ORDER.indexOf(getKind(other)))
  const found = flows.get(id) ?? best
  if (found) return found
  throw new SvcError('DASHBOARD_SIGN_IN_UNKNOWN', `There is no way to sign in to "${id}".`, { status: 400 })
}

/** The answer to `GET /api/providers/oauth`. */
export async function listProviders(ctx: PluginContext<undefined>) {
  const ids = new Set(
    ctx
      .all(SignInFlows)
      .all()
      .map(({ provider }) => provider),
  )
  return { providers: await Promise.all([...ids].sort().map((id) => describe(ctx, id))) }
}

async function describe(ctx: PluginContext<undefined>, id: string) {
  const flow = findFlow(ctx, id)
  const isExternal = getKind(flow) === 'external'
  const kept = await readKept(ctx, id)
  return {
    id,
    name: ctx.all(Providers).get(id)?.label ?? flow.label,
    flow: getKind(flow),
    cli_command: flow.command ?? `svc auth add ${id} --flow ${flow.name.slice(id.length + 1)}`,
    docs_url: flow.page ?? null,
    disconnectable: kept.length > 0,
    disconnect_hint: isExternal ? 'Sign out in the program that signed in.' : null,
    disconnect_command: isExternal ? null : `svc auth logout ${id}`,
    status: getStatus(flow, kept),
  }
}

/** Sign-ins that are kept; an unreadable file is logged, and its providers are shown as signed out. */
async function readKept(ctx: PluginContext<undefined>, id: string): Promise<readonly CredentialInfo[]> {
  try {
    return (await ctx.use(Credentials).list(id)).filter(({ type }) => type === 'oauth')
  } catch (error) {
    logFault(ctx.log, `the sign-ins of ${id} cannot be read`, error)
    return []
  }
}

function getStatus({ ambient, label }: SignInFlow, kept: readonly CredentialInfo[]) {
  const first = kept.find(({ status }) => status === 'ok') ?? kept[0]
  const source = first ? undefined : ambient?.source()
  if (!first)
    return {
      logged_in: source !== undefined,
      source: source === undefined ? null : 'ambient',
      source_label: source ?? null,
      token_preview: null,
      expires_at: null,
      has_refresh_token: false,
    }
  return {
    logged_in: first.status !== 'dead',
    source: first.source,
    source_label: label,
    token_preview: first.key,
    expires_at: first.expiresAt ?? null,
    has_refresh_token: first.isRenewed === true,
    ...(first.error === undefined ? {} : { error: first.error }),
  }
}
