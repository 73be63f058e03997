/** Who this machine is at a cloud, one flow for each entry of clouds.ts. The vendors' libraries are loaded at the first call. */
import { Clock, definePlugin, errorMessage, logFault, type PluginContext, Secrets } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import { signInError } from 'svc/sdk/kit/oauth'
import { type OAuthTokens, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { type Cloud, clouds } from './clouds.ts'

const LIMIT_MS = 20_000

export default definePlugin({
  setup(ctx) {
    for (const cloud of clouds) ctx.add(SignInFlows, createFlow(cloud, ctx))
  },
})

function createFlow(cloud: Cloud, ctx: PluginContext<undefined>): SignInFlow {
  const { provider, kind, label, command, page } = cloud
  const token = (signal: AbortSignal) => getToken(cloud, ctx, signal)
  return {
    name: `${provider}:${kind}`,
    provider,
    type: 'cloud-identity',
    label: `Who this machine is at ${label}`,
    command,
    page,
    signIn: (_, signal) => token(signal),
    refresh: (_, signal) => token(signal),
    ambient: { source: () => cloud.source(ctx), token },
  }
}

/** Libraries ask the machine and the network at length, and some do not heed a signal. */
async function getToken(cloud: Cloud, ctx: PluginContext<undefined>, signal: AbortSignal): Promise<OAuthTokens> {
  const { label, command } = cloud
  const late = () =>
    signInError('SIGN_IN_FAILED', `${label} gave no token within ${LIMIT_MS / 1000} s. Try again later.`)
  try {
    const tokens = await withDeadline(ctx.use(Clock), LIMIT_MS, (each) => cloud.token(ctx, each), late, { signal })
    ctx.use(Secrets).protect(tokens.accessToken)
    return tokens
  } catch (error) {
    signal.throwIfAborted()
    const [why = ''] = ctx.use(Secrets).mask(errorMessage(error)).split('\n')
    const text = `${label} gave no token: ${why.slice(0, 300)}. To sign in yourself: \`${command}\`.`
    // Errors of these libraries hold the request with what it proved itself by: their words alone are kept.
    const failure = signInError('SIGN_IN_FAILED', text)
    logFault(ctx.log, `${label} gave no token`, failure)
    throw failure
  }
}
