/** `svc dashboard password`: sets or removes a person who signs in with a password. */
import { type CliArguments, type CliContext, Clock, Random, SvcError } from 'svc/sdk'
import { safeName } from 'svc/sdk/kit/terminal'
import type { LoginDeps } from './deps.ts'

const MAX_BYTES = 4096

/** Throws `LOGIN_PASSWORD_INPUT`, `LOGIN_PASSWORD_WEAK` and `LOGIN_PERSON_UNKNOWN`. */
export async function changePassword(
  { ctx, accounts, logins, audit }: LoginDeps,
  { args, options }: CliArguments,
  io: CliContext,
): Promise<void> {
  const name = args[0]?.trim() || 'admin'
  const isRemoved = options['remove'] === true
  if (isRemoved) await accounts.remove(name)
  else await accounts.set(name, await readPassword(name, io), { now: ctx.use(Clock).now(), random: ctx.use(Random) })
  // A person who knew the old password may be signed in by it.
  const ended = await logins.end((each) => each.provider === 'password' && each.user === name)
  audit(isRemoved ? 'person_removed' : 'password_set', { user: name })
  if (options['json'] === true) io.out(`${JSON.stringify({ name, removed: isRemoved, ended: ended.length })}\n`)
  else if (isRemoved) io.out(`${safeName(name)} cannot sign in to the dashboard any more.\n`)
  else
    io.out(
      `${safeName(name)} can sign in to the dashboard with this password. Let others reach it: svc dashboard --host 0.0.0.0\n`,
    )
}

async function readPassword(name: string, io: CliContext): Promise<string> {
  if (!io.interactive) {
    const given = new TextDecoder().decode(await io.stdin(MAX_BYTES)).split(/\r?\n/)[0] ?? ''
    if (given !== '') return given
    throw new SvcError(
      'LOGIN_PASSWORD_INPUT',
      'No password was given. Type it at a terminal, or give it on standard input.',
    )
  }
  const first = await io.ask(`Password of ${safeName(name)}, 12 characters or more: `, { secret: true })
  if (!first) throw new SvcError('LOGIN_PASSWORD_INPUT', 'No password was given. Nothing was changed.')
  const second = await io.ask('Once more: ', { secret: true })
  if (first === second) return first
  throw new SvcError('LOGIN_PASSWORD_INPUT', 'The passwords differ. Nothing was changed.')
}
