/** How `svc auth` shows keys. */
import { Clock, type PluginContext } from 'svc/sdk'
import { formatCount, safeLine } from 'svc/sdk/kit/terminal'
import type { CredentialInfo } from 'svc/sdk/provider'

/** `a1b2c3  work  ***wxyz  ok  12 calls`. What services and people wrote cannot steer the terminal. */
export function keyLine(ctx: PluginContext<undefined>, key: CredentialInfo): string {
  const { id, label, type, status, requests } = key
  const parts = [id, label, key.key, standing(key, ctx.use(Clock).now()), formatCount(requests, 'call')]
  if (type === 'oauth') parts.push(key.source)
  if (key.baseUrl !== undefined) parts.push(key.baseUrl)
  if (status !== 'ok' && key.error !== undefined) parts.push(key.error)
  return parts.map(safeLine).join('  ')
}

function standing({ status, resetAt }: CredentialInfo, now: number): string {
  if (status === 'dead') return 'revoked'
  if (status === 'ok' || resetAt === undefined || resetAt <= now) return 'ok'
  return `rests for ${Math.ceil((resetAt - now) / 60_000)} min`
}
