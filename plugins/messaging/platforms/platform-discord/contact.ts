/** Where the bot is added to a server. */
import { deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { DiscordApi, UNAUTHORIZED } from './api.ts'
import type { DiscordDeps } from './connection.ts'

/** View channels, send messages, also in threads, make threads, attach files, read the history, add reactions. */
const PERMISSIONS = [10, 11, 15, 16, 6, 35, 38].reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n)
const application = z.object({ id: z.string() })

/** discord.com/developers/docs/topics/oauth2#bot-authorization-flow */
export async function findContact(
  { net, clock, config, token }: DiscordDeps,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const given = token()
  if (given === undefined) throw deliveryRefused('DISCORD_UNAUTHORIZED', UNAUTHORIZED)
  const api = new DiscordApi({ net, clock, url: config.api_url, token: given, signal, refusedToken: () => {} })
  const what = 'say which application the bot is of'
  const { id } = await api.ask({ method: 'GET', path: '/applications/@me', what }, application)
  const query = { client_id: id, scope: 'bot applications.commands', permissions: String(PERMISSIONS) }
  return `https://discord.com/oauth2/authorize?${new URLSearchParams(query)}`
}
