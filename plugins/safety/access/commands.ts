/** `/whoami`, and the gate before every command in a chat. */
import type { CommandContext, SlashCommand, Translate } from 'svc/sdk'
import type { Access } from 'svc/sdk/safety'

/** Who one is to the agent, and why. */
export function whoamiCommand(access: () => Access, t: Translate): SlashCommand {
  return {
    name: 'whoami',
    description: 'Show your id here and what you may do',
    category: 'Info',
    isImmediate: true,
    async run(_args, { by, surface }) {
      if (!by && surface === 'cli') return t('You are the owner: this terminal may run every command.')
      if (!by) return t('No person is named here.')
      const { role, rule } = access().judge(by, { kind: 'message' })
      return [
        `${t('Id')}: \`${by.userId.replaceAll('`', "'")}\``,
        `${t('Platform')}: ${by.platform}`,
        `${t('Role')}: ${role} (${rule})`,
      ].join('\n')
    },
  }
}

/**
 * The verdict for `BeforeSlashCommand`. A terminal belongs to the owner; in a chat, a person who is not named has no
 * rights.
 */
export function commandVerdict(
  access: () => Access,
  { command, at }: { readonly command: SlashCommand; readonly at: CommandContext },
): { readonly allow: boolean; readonly reason?: string } | undefined {
  if (!at.by) return at.surface === 'cli' ? undefined : { allow: false, reason: 'it is not known who typed it' }
  const { allow, rule } = access().judge(at.by, { kind: 'command', name: command.name })
  return allow ? undefined : { allow, reason: rule }
}
