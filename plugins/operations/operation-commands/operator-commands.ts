/** `/restart` and `/update`: for admins of a chat, after a confirmation. */
import {
  type CommandContext,
  createTranslator,
  errorMessage,
  logFault,
  type PluginContext,
  Random,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { GatewayProcess, type UpdateCheck, Updates } from 'svc/sdk/operations'
import { type MessageOrigin, Outbox } from 'svc/sdk/platform'
import { isOperator } from 'svc/sdk/safety'
import type { PendingReturn } from './pending-return.ts'

type Context = PluginContext<undefined>

/** An admin who may be told in the chat. */
type Asked = CommandContext & { readonly by: MessageOrigin }

export function createRestartCommand(ctx: Context, pending: PendingReturn): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'restart',
    description: 'Restart the gateway',
    category: 'Configuration',
    surfaces: ['gateway'],
    async run(_args, at) {
      if (!isAsked(ctx, at)) return refusal(t)
      const gateway = await findOwnGateway(ctx)
      if (!gateway) return t('This gateway was not started by svc gateway, so it cannot be restarted from here.')
      const question = t('Restart the gateway? Answers under way are finished first.')
      if (!(await at.person.confirm(question))) return t('Nothing was changed.')
      await restart({ gateway, pending, by: at.by, stage: 'restarting' })
      return t('The gateway restarts. I write here when it is back.')
    },
  }
}

export function createUpdateCommand(ctx: Context, pending: PendingReturn): SlashCommand {
  const t = createTranslator(ctx)
  let isUnderway = false
  return {
    name: 'update',
    description: 'Look for a newer version of svc, and install it',
    category: 'Configuration',
    argsHint: '[check]',
    subcommands: ['check'],
    surfaces: ['gateway'],
    async run(args, at) {
      if (!isAsked(ctx, at)) return refusal(t)
      if (isUnderway) return t('An update is under way.')
      const updates = await ctx.use(Plugins).bring(Updates)
      if (!updates) return t('svc cannot be updated from here: the plugin for it is switched off.')
      const found = await updates.check({ signal: at.signal })
      if (!found.isNewer || args === 'check') return describeCheck(found, t)
      const values = { newest: found.newest ?? '', version: found.version }
      const question = t(
        'Install svc {newest} in the place of {version}, and restart? It is tried out first, and a backup is made.',
        values,
      )
      if (!(await at.person.confirm(question))) return t('Nothing was changed.')
      isUnderway = true
      // Before the chat is promised a word about the end.
      await pending.keep(at.by, 'installing').catch((error: unknown) => {
        isUnderway = false
        throw error
      })
      // It takes minutes, in which the chat can be used.
      void update(ctx, { updates, pending, by: at.by }, t).finally(() => {
        isUnderway = false
      })
      return t('svc {newest} is being installed. I write here how it ends.', values)
    },
  }
}

function isAsked(ctx: Context, at: CommandContext): at is Asked {
  return at.by !== undefined && isOperator(ctx, at)
}

function refusal(t: Translate): string {
  return t('Only an admin may do this here: a person whom allow_admin_from names.')
}

/** Undefined where this process is not a gateway that `svc gateway` runs. */
async function findOwnGateway(ctx: Context): Promise<GatewayProcess | undefined> {
  const gateway = await ctx.use(Plugins).bring(GatewayProcess)
  const status = await gateway?.status()
  return status?.isRunning && status.pid === process.pid ? gateway : undefined
}

interface Restart {
  readonly gateway: GatewayProcess
  readonly pending: PendingReturn
  readonly by: MessageOrigin
  readonly stage: 'restarting' | 'updated'
}

/** Who asked is on disk before the process may end. */
async function restart({ gateway, pending, by, stage }: Restart): Promise<void> {
  await pending.keep(by, stage)
  try {
    await gateway.restart()
  } catch (error) {
    await pending.forget()
    throw error
  }
}

function describeCheck({ isNewer, version, newest = '', reason }: UpdateCheck, t: Translate): string {
  if (isNewer) return t('svc {version} is in use; there is {newest}. /update installs it.', { version, newest })
  return reason ?? t('svc {version} is the newest version.', { version })
}

/** Never rejects. */
async function update(
  ctx: Context,
  { updates, pending, by }: { readonly updates: Updates; readonly pending: PendingReturn; readonly by: MessageOrigin },
  t: Translate,
): Promise<void> {
  const say = (text: string) => {
    const { platform, chatId, threadId } = by
    const place = { platform, chatId, ...(threadId !== undefined && { threadId }) }
    ctx.find(Outbox)?.post({ ...place, key: `update:${ctx.use(Random).hex(8)}`, text })
  }
  try {
    const { version } = await updates.apply({ signal: ctx.signal, report: (line) => ctx.log.info(line) })
    const gateway = await findOwnGateway(ctx)
    if (!gateway) {
      await pending.forget()
      return say(t('svc {version} is installed. Start the gateway again to use it.', { version }))
    }
    say(t('svc {version} is installed. The gateway restarts.', { version }))
    await restart({ gateway, pending, by, stage: 'updated' })
  } catch (error) {
    // The next process tells it.
    if (ctx.signal.aborted) return
    logFault(ctx.log, 'the update that a chat asked for failed', error)
    await pending.forget()
    const reason = errorMessage(error)
    say(t('The update failed, and svc {version} is still in use: {reason}', { version: pending.version, reason }))
  }
}
