/** A platform that was set up just now: linked to a phone, tried with its service, and how the first person is let in. */
import { Clock, errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { SetupNote, SetupScan } from 'svc/sdk/operations'
import type { Platform, PlatformStatus } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import type { PhoneLinking } from 'svc/sdk/sign-in'
import { askContact, loadPlatform } from './contact.ts'
import { askStatus } from './running-gateway.ts'

type Context = PluginContext<undefined>

/** A gateway that runs reads what was written, and connects. */
const CONNECT_MS = 30_000
const POLL_MS = 250
/** The gateway may not have read it yet: a state that is older says nothing of what was written. */
const SETTLE_MS = 3000

/** Throws `GATEWAY_CONTACT` where no phone can be linked, and what the platform throws. */
export async function startLink(
  ctx: Context,
  name: string,
  options: Parameters<PhoneLinking['start']>[0],
): Promise<SetupScan> {
  const { linking, label } = await loadPlatform(ctx, name)
  if (!linking) throw new SvcError('GATEWAY_CONTACT', `${label} is not linked to a phone.`)
  const { address, account } = await linking.start(options)
  // A front end that has gone does not hear of it.
  account.catch(() => {})
  return { address, answer: account, instructions: `Scan it on the phone: ${linking.instructions}.` }
}

/** The next steps, or the problem. Rejects only when the signal aborts. */
export async function tryPlatform(ctx: Context, name: string, signal: AbortSignal): Promise<readonly SetupNote[]> {
  await ctx.use(Plugins).applyConfig()
  const platform = await loadPlatform(ctx, name)
  try {
    const running = await waitForGateway(ctx, name, signal)
    if (running && running.state !== 'connected') return [notConnected(platform, running)]
    const contact = running?.contact ?? (await askContact(platform, signal))
    const reached: SetupNote =
      contact === undefined
        ? { text: `${platform.label} is set up.` }
        : { text: `${platform.label} is set up. A phone reaches the agent at:`, address: contact }
    const start: readonly SetupNote[] = running ? [] : [{ text: 'It is connected by the gateway: svc gateway start' }]
    return [reached, ...start, ...(await explainAdmission(ctx, platform))]
  } catch (error) {
    signal.throwIfAborted()
    logFault(ctx.log, `${name} was set up and cannot be used`, error)
    const advice = `Correct it: svc setup platforms`
    return [{ text: `${platform.label} cannot be used yet: ${errorMessage(error)} ${advice}`, isProblem: true }]
  }
}

function notConnected({ label }: Platform, { state, reason }: PlatformStatus): SetupNote {
  const why = reason === undefined ? '' : ` ${reason}`
  return { text: `${label} is ${state}.${why} Look again: svc gateway status`, isProblem: true }
}

/** The state in which the platform settles; undefined when no gateway runs. */
async function waitForGateway(ctx: Context, name: string, signal: AbortSignal): Promise<PlatformStatus | undefined> {
  const clock = ctx.use(Clock)
  const begin = clock.now()
  for (;;) {
    signal.throwIfAborted()
    const found = (await askStatus(ctx))?.platforms.find((each) => each.name === name)
    if (!found) return undefined
    const isSettled = found.state === 'connected' ? found.contact !== undefined : found.state !== 'connecting'
    const waited = clock.now() - begin
    const isFresh = found.since >= begin || waited > SETTLE_MS
    if ((isSettled && isFresh) || waited > CONNECT_MS) return found
    await clock.sleep(POLL_MS, signal)
  }
}

/** By the rules that hold now, tried with a person whom no rule names. */
async function explainAdmission(ctx: Context, { name, label, isEvents }: Platform): Promise<readonly SetupNote[]> {
  const access = isEvents ? undefined : await ctx.use(Plugins).bring(Access)
  if (!access) return []
  const { allow, reply } = access.judge({ platform: name, chatId: 'setup', userId: 'setup' }, { kind: 'message' })
  if (allow) return [{ text: `Everybody on ${label} may write to it. To name who may: platforms.${name}.allow_from` }]
  if (reply === 'pair')
    return [{ text: `Write to it there: it answers with a code. Let yourself in: svc pairing approve ${name} <code>` }]
  return [{ text: `Only people who are named may write to it: platforms.${name}.allow_from in config.yaml` }]
}
