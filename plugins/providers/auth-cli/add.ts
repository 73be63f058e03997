/** `svc auth add`: keeps a key or a sign-in. */
import { type CliArguments, type CliContext, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { Credentials, type ModelProvider, type NewCredential, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { findProvider } from './find.ts'
import { keyLine } from './key-line.ts'
import { personAt } from './person.ts'

type Context = PluginContext<undefined>

const MAX_KEY_BYTES = 64 * 1024

/** What is no key is refused by `Credentials`; whether it works is another question. */
export async function add(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const provider = await findProvider(ctx, input.args[0] ?? '')
  if (provider.auth?.type === 'none')
    throw new SvcError('AUTH_NOT_NEEDED', `${provider.label} asks for no key. Nothing was kept.`)
  const flow = findFlow(ctx, provider, input.options['flow'])
  const secret = flow ? await signIn(flow, io) : { key: await askKey(provider, io) }
  const kept = await ctx.use(Credentials).add({ provider: provider.name, ...secret, ...wishes(input) })
  if (hasFlag(input, 'json')) printJson(io, kept)
  else {
    io.out(`Kept for ${provider.name}: ${keyLine(ctx, kept)}\n`)
    io.out(`See whether it works with \`svc auth test ${provider.name}\`.\n`)
  }
  return 0
}

function wishes({ options }: CliArguments): Pick<NewCredential, 'label' | 'baseUrl' | 'priority'> {
  const { label, baseUrl, priority } = options
  if (typeof priority === 'string' && !/^-?\d{1,6}$/.test(priority))
    throw new SvcError('CLI_USAGE', `--priority wants a whole number, not "${priority}".`)
  if (typeof baseUrl === 'string' && !(/^https?:/i.test(baseUrl) && URL.canParse(baseUrl)))
    throw new SvcError('CLI_USAGE', `--base-url wants an address such as https://host/v1, not "${baseUrl}".`)
  return {
    ...(typeof label === 'string' ? { label } : {}),
    ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
    ...(typeof priority === 'string' ? { priority: Number(priority) } : {}),
  }
}

/** The flow that was asked for, or the usual one of a provider that has no keys to type. */
function findFlow(
  ctx: Context,
  provider: ModelProvider,
  wanted: CliArguments['options'][string],
): SignInFlow | undefined {
  const own = ctx
    .all(SignInFlows)
    .all()
    .filter((flow) => flow.provider === provider.name)
  const takesKeys = [undefined, 'api-key', 'optional-key'].includes(provider.auth?.type)
  if (wanted === undefined && takesKeys) return undefined
  const found =
    wanted === undefined
      ? own[0]
      : own.find(({ name }) => name === wanted || name === `${provider.name}:${String(wanted)}`)
  if (found) return found
  const names = own.map(({ name, label }) => `${name} (${label})`).join(', ')
  const what = wanted === undefined ? 'Name a way to sign in' : `There is no way "${String(wanted)}" to sign in`
  throw new SvcError(
    'AUTH_FLOW',
    `${what} to ${provider.label}. ${names === '' ? 'No plugin here offers one.' : `There are: ${names}. Use --flow <name>.`}`,
  )
}

async function signIn(flow: SignInFlow, io: CliContext): Promise<Pick<NewCredential, 'key' | 'flow' | 'signedIn'>> {
  try {
    const signedIn = await flow.signIn(personAt(io), io.signal)
    return { key: signedIn.accessToken, flow: flow.name, signedIn }
  } catch (error) {
    io.signal.throwIfAborted()
    const message = errorMessage(error).replace(/[.\s]*$/, '')
    throw new SvcError('AUTH_FLOW', `Signing in did not work: ${message}. Nothing was kept.`, { cause: error })
  }
}

/** Never shown, and never an argument: those stay in the history of the shell. */
async function askKey({ label, auth }: ModelProvider, io: CliContext): Promise<string> {
  const bytes = io.interactive ? undefined : await io.stdin(MAX_KEY_BYTES)
  if (bytes) return new TextDecoder().decode(bytes).trim()
  if (auth?.page !== undefined) io.err(`Get a key at ${auth.page}\n`)
  return (await io.ask(`Key for ${label} (not shown): `, { secret: true }))?.trim() ?? ''
}
