/** Whether Teams has made a call, after "Authentication with the Bot Connector API" (learn.microsoft.com/azure/bot-service). */
import { tryParseJson } from 'svc/sdk'
import { SignedTokens } from 'svc/sdk/kit/net'
import type { PlatformContext } from 'svc/sdk/kit/platform'
import type { HttpRequest } from 'svc/sdk/web'
import { z } from 'zod'
import type { TeamsSettings } from './teams.ts'

const ISSUER = 'https://api.botframework.com'
const CHANNEL = 'msteams'
const call = z.object({ serviceUrl: z.string(), channelId: z.string() })
const tokens = new SignedTokens()

/**
 * The token is signed for this bot and for the service address in the body, by a key that may vouch for Teams; and the address is one
 * that the token of the bot may be sent to.
 */
export async function isTeamsCall(
  request: HttpRequest,
  { settings, secret, net, clock, address }: PlatformContext<TeamsSettings>,
): Promise<boolean> {
  const read = call.safeParse(tryParseJson(Buffer.from(request.body).toString('utf8'))?.value)
  if (!read.success || read.data.channelId !== CHANNEL) return false
  const { serviceUrl } = read.data
  const known = await tokens.read(
    request,
    { issuers: [ISSUER], audience: secret('TEAMS_APP_ID'), keys: settings.openid_url },
    { net, clock },
  )
  if (!known) return false
  const { claims, key } = known
  const { endorsements } = key as { readonly endorsements?: readonly string[] }
  if (endorsements && !endorsements.includes(CHANNEL)) return false
  return claims['serviceurl'] === serviceUrl && isAllowed(serviceUrl, settings, address)
}

function isAllowed(serviceUrl: string, { service_hosts: hosts }: TeamsSettings, address: string): boolean {
  if (!URL.canParse(serviceUrl)) return false
  const { protocol, hostname, origin } = new URL(serviceUrl)
  return origin === new URL(address).origin || (protocol === 'https:' && hosts.includes(hostname))
}
