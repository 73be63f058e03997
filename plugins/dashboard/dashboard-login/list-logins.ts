/** `svc dashboard logins`: who may sign in, and who is. */
import type { CliArguments, CliContext } from 'svc/sdk'
import { safeName } from 'svc/sdk/kit/terminal'
import type { LoginDeps } from './deps.ts'
import { getLoginName, type StoredLogin } from './logins.ts'

export async function listLogins(
  deps: LoginDeps,
  { args, options }: CliArguments,
  io: CliContext,
): Promise<number | undefined> {
  const { accounts, logins, ctx } = deps
  const isJson = options['json'] === true
  if (options['end'] === true) return end(deps, args[0], io, isJson)
  const people = accounts.list().map(({ name }) => name)
  const allowed = ctx.config.oidc?.allow ?? []
  const open = logins.list().map((each) => ({
    ...{ id: getLoginName(each), user: each.user, provider: each.provider, address: each.address, agent: each.agent },
    ...{ createdAt: each.createdAt, usedAt: each.rotatedAt },
  }))
  if (isJson) {
    io.out(`${JSON.stringify({ passwords: people, oidc: allowed, logins: open })}\n`)
    return undefined
  }
  const names = (all: readonly string[], none: string) => (all.length > 0 ? all.map(safeName).join(', ') : none)
  io.out(`With a password: ${names(people, 'no person; set one with svc dashboard password')}\n`)
  if (allowed.length > 0) io.out(`At ${safeName(ctx.config.oidc?.name ?? '')}: ${names(allowed, '')}\n`)
  io.out(open.length > 0 ? 'Signed in:\n' : 'No person is signed in.\n')
  for (const each of open)
    io.out(`  ${each.id}  ${safeName(each.user)}, from ${safeName(each.address)}, ${used(each)}\n`)
  return undefined
}

async function end({ logins, audit }: LoginDeps, id: string | undefined, io: CliContext, isJson: boolean) {
  const isMeant = (each: StoredLogin) => id === undefined || getLoginName(each) === id
  const ended = await logins.end(isMeant)
  audit('logins_ended', { user: 'command line', detail: ended.map(getLoginName).join(' ') })
  if (isJson) io.out(`${JSON.stringify({ ended: ended.map(getLoginName) })}\n`)
  else io.out(`Ended ${ended.length} ${ended.length === 1 ? 'login' : 'logins'}.\n`)
  return id !== undefined && ended.length === 0 ? 1 : 0
}

function used({ usedAt }: { readonly usedAt: number }): string {
  return `used at ${new Date(usedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
