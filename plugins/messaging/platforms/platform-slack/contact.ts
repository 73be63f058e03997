/** Where people write to the app directly. */
import { deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { SlackApi, unauthorized } from './api.ts'
import type { SlackDeps } from './connection.ts'

const identity = z.object({ user_id: z.string(), team_id: z.string() })

export async function findContact(
  { net, config, secret }: SlackDeps,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const token = secret('SLACK_BOT_TOKEN')
  if (token === undefined) throw deliveryRefused('SLACK_UNAUTHORIZED', unauthorized('it is not set', 'SLACK_BOT_TOKEN'))
  const account = { net, url: config.api_url, signal, refusedToken: () => {} }
  const { team_id: team, user_id: id } = await new SlackApi(account, token, 'SLACK_BOT_TOKEN').call(
    'auth.test',
    {},
    identity,
  )
  return `slack://user?${new URLSearchParams({ team, id })}`
}
