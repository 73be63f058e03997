/** How `svc auth` shows keys. */
import { type CliInput, type CliIo, Clock, type PluginContext, type PooledCredential } from 'svc/sdk'

/** The result for programs. */
export function printJson(io: CliIo, value: unknown): void {
  io.out(`${JSON.stringify(value, undefined, 2)}\n`)
}

/** Whether a flag was given. */
export function isSet({ options }: CliInput, name: string): boolean {
  return options[name] === true
}

/** `a1b2c3  work  ***wxyz  ok  12 calls`. What services and people wrote cannot steer the terminal. */
export function keyLine(ctx: PluginContext<undefined>, key: PooledCredential): string {
  const { id, label, type, status, requests } = key
  const parts = [
    id,
    label,
    key.key,
    standing(key, ctx.use(Clock).now()),
    requests === 1 ? '1 call' : `${requests} calls`,
  ]
  if (type === 'oauth') parts.push(key.source)
  if (key.baseUrl !== undefined) parts.push(key.baseUrl)
  if (status !== 'ok' && key.error !== undefined) parts.push(key.error)
  return parts.map((part) => part.replace(/\p{Cc}+/gu, ' ')).join('  ')
}

function standing({ status, resetAt }: PooledCredential, now: number): string {
  if (status === 'dead') return 'revoked'
  if (status === 'ok' || resetAt === undefined || resetAt <= now) return 'ok'
  return `rests for ${Math.ceil((resetAt - now) / 60_000)} min`
}
