/** `svc gateway contact`: where people reach the agent on each platform, for a phone to scan. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { isContact } from 'svc/sdk/kit/net'
import { hasFlag, printAddress, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { Gateway, type Platform, type PlatformStatus, Platforms } from 'svc/sdk/platform'
import { askStatus } from './running-gateway.ts'
import { createStoppedStatus } from './status.ts'

type Context = PluginContext<undefined>

interface Contact {
  readonly name: string
  readonly label: string
  readonly contact: string
}

/** Of one platform or of all. Throws `GATEWAY_CONTACT` when there is nothing to show. */
export async function contact(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [name] = input.args
  const found = name === undefined ? await listContacts(ctx) : [await findContact(ctx, name, io.signal)]
  if (hasFlag(input, 'json')) {
    printJson(io, found)
    return 0
  }
  if (found.length === 0)
    throw new SvcError('GATEWAY_CONTACT', 'No address is known yet. Set up a platform and start the gateway.')
  for (const { label, contact } of found) {
    io.out(`${safeLine(label)}\n`)
    await printAddress(io, contact)
  }
  return 0
}

/** Those that the gateway has found, or had found when it ended. */
async function listContacts(ctx: Context): Promise<readonly Contact[]> {
  const platforms: readonly Pick<PlatformStatus, 'name' | 'label' | 'contact'>[] =
    (await askStatus(ctx))?.platforms ?? createStoppedStatus(ctx)?.platforms ?? []
  return platforms.flatMap(({ name, label, contact }) => (contact === undefined ? [] : [{ name, label, contact }]))
}

/** One that no gateway has found yet is asked of the service. */
async function findContact(ctx: Context, name: string, signal: AbortSignal): Promise<Contact> {
  const known = (await listContacts(ctx)).find((each) => each.name === name)
  if (known) return known
  const platform = await loadPlatform(ctx, name)
  const contact = await askContact(platform, signal)
  if (contact !== undefined) return { name, label: platform.label, contact }
  const advice = platform.contact
    ? 'It is known once the gateway has connected it.'
    : 'A phone finds it in its own app.'
  throw new SvcError('GATEWAY_CONTACT', `${platform.label} has no address to show. ${advice}`)
}

/** Throws `GATEWAY_CONTACT` for an unknown name. */
export async function loadPlatform(ctx: Context, name: string): Promise<Platform> {
  await ctx.use(Plugins).bring(Gateway)
  const platforms = ctx.all(Platforms)
  const found = platforms.get(name)
  if (found) return found
  const names = platforms.all().map((each) => each.name)
  throw new SvcError('GATEWAY_CONTACT', `There is no platform "${name}". There are: ${names.sort().join(', ')}.`)
}

/** The service is asked whose account it is. Throws what is missing, or what the service refused. */
export async function askContact(platform: Platform, signal: AbortSignal): Promise<string | undefined> {
  const missing = platform.missing?.()
  if (missing !== undefined) throw new SvcError('GATEWAY_CONTACT', `${platform.label} is not set up: ${missing}`)
  const found = await platform.contact?.(signal)
  return found !== undefined && isContact(found) ? found : undefined
}
