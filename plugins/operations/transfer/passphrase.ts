/** The passphrase of an export: from the environment, or typed without an echo. */
import { type CliContext, type PluginContext, Secrets, SvcError } from 'svc/sdk'

type Context = PluginContext<undefined>

const VARIABLE = 'SVC_EXPORT_PASSPHRASE'
const MIN_LENGTH = 10

/** For a new export: typed twice. Throws `TRANSFER_PASSPHRASE`. */
export async function choosePassphrase(ctx: Context, io: CliContext): Promise<string> {
  const given = ctx.use(Secrets).get(VARIABLE)
  const passphrase = given ?? (await ask(io, 'Passphrase for the export: '))
  if ([...passphrase].length < MIN_LENGTH) throw refuse(`It needs ${MIN_LENGTH} characters or more.`)
  if (given === undefined && (await ask(io, 'Once more: ')) !== passphrase) throw refuse('The two are not the same.')
  ctx.use(Secrets).protect(passphrase)
  return passphrase
}

/** Of an export that exists. Throws `TRANSFER_PASSPHRASE`. */
export async function enterPassphrase(ctx: Context, io: CliContext): Promise<string> {
  return ctx.use(Secrets).get(VARIABLE) ?? (await ask(io, 'Passphrase of the export: '))
}

async function ask(io: CliContext, prompt: string): Promise<string> {
  if (!io.interactive) throw refuse(`There is no terminal to ask on; set ${VARIABLE}.`)
  const typed = await io.ask(prompt, { secret: true })
  if (typed === undefined || typed === '') throw refuse('Nothing was typed.')
  return typed
}

function refuse(why: string): SvcError {
  const message = `A passphrase is needed. ${why} Nothing was written.`
  return new SvcError('TRANSFER_PASSPHRASE', message, { status: 403 })
}
