/**
 * svc's commands in Discord's menu (discord.com/developers/docs/interactions/application-commands): overwritten as a
 * whole, and only when they changed.
 */
import type { CommandMenuEntry } from 'svc/sdk/host'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'

const CHAT_INPUT = 1
const STRING = 3

const option = z.object({ type: z.number(), name: z.string(), description: z.string() })
const registered = z.array(
  z.object({
    type: z.number().default(CHAT_INPUT),
    name: z.string(),
    description: z.string().default(''),
    options: z.array(option).default([]),
  }),
)

/** Whether anything was changed. */
export async function registerCommands(
  api: DiscordApi,
  applicationId: string,
  entries: readonly CommandMenuEntry[],
): Promise<boolean> {
  const wanted = entries.map(toMenuCommand)
  const path = `/applications/${applicationId}/commands`
  const there = await api.ask({ method: 'GET', path, what: 'list its commands' }, registered)
  if (fingerprint(there) === fingerprint(wanted)) return false
  await api.tell({ method: 'PUT', path, json: wanted, what: 'register commands' })
  return true
}

type Command = z.infer<typeof registered>[number]

/** All that follows the name is one text, as it is typed elsewhere. */
function toMenuCommand({ name, description, subcommands }: CommandMenuEntry): Command {
  const hint = subcommands.length > 0 ? subcommands.join(', ') : 'What follows the command'
  const args = { type: STRING, name: 'args', description: hint.slice(0, 100) }
  return { type: CHAT_INPUT, name: name.toLowerCase(), description: description || name, options: [args] }
}

function fingerprint(commands: readonly Command[]): string {
  const sorted = [...commands].sort((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify(
    sorted.map(({ type, name, description, options }) => [
      ...[type, name, description],
      options.map((each) => [each.type, each.name, each.description]),
    ]),
  )
}
