/** The passphrase of a backup: from the environment, or typed without an echo. */
import { type CliContext, type PluginContext, Secrets, SvcError } from 'svc/sdk'

type Context = PluginContext<undefined>

const VARIABLE = 'SVC_BACKUP_PASSPHRASE'
const MIN_LENGTH = 10

/** For a new backup: typed twice. Throws `BACKUP_PASSPHRASE`. */
export async function choosePassphrase(ctx: Context, io: CliContext): Promise<string> {
  const given = ctx.use(Secrets).get(VARIABLE)
  const passphrase = given ?? (await ask(io, 'Passphrase for the backup: '))
  if ([...passphrase].length < MIN_LENGTH)
    throw refuse(`It needs ${MIN_LENGTH} characters or more. No backup was made.`)
  if (given === undefined && (await ask(io, 'Once more: ')) !== passphrase)
    throw refuse('The two are not the same. No backup was made.')
  ctx.use(Secrets).protect(passphrase)
  return passphrase
}

/** Of a backup that exists. Throws `BACKUP_PASSPHRASE`. */
export async function enterPassphrase(ctx: Context, io: CliContext): Promise<string> {
  return ctx.use(Secrets).get(VARIABLE) ?? (await ask(io, 'Passphrase of the backup: '))
}

async function ask(io: CliContext, prompt: string): Promise<string> {
  if (!io.interactive) throw refuse(`There is no terminal to ask on; set ${VARIABLE}.`)
  const typed = await io.ask(prompt, { secret: true })
  if (typed === undefined || typed === '') throw refuse('None was typed. Nothing was changed.')
  return typed
}

function refuse(why: string): SvcError {
  return new SvcError('BACKUP_PASSPHRASE', `A passphrase is needed. ${why}`, { status: 403 })
}
