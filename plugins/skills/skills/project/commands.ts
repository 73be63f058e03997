/** `svc skills trust` and `svc skills distrust`, as they are typed. */
import type { CliCommand, PluginContext } from 'svc/sdk'

const json = { flags: '--json', description: 'The result as JSON' }

export function trustCommands(
  ctx: Pick<PluginContext<unknown>, 'use' | 'find' | 'state' | 'log'>,
  own: () => readonly string[],
): readonly CliCommand[] {
  const deps = async () => (await import('./open.ts')).openConsent(ctx, own)
  return [
    {
      name: 'trust',
      description: 'Show the skills in the folder of a project, and agree to them as they are now',
      arguments: '[folder]',
      options: [
        { flags: '--force', description: 'Also to those in which the scan found danger' },
        { flags: '-y, --yes', description: 'Do not ask' },
        json,
      ],
      examples: ['skills trust', 'skills trust ~/project --yes'],
      run: async (input, io) => (await import('./trust-cli.ts')).trustSkills(await deps(), input, io),
    },
    {
      name: 'distrust',
      description: 'Take the consent back: the skills of a project are not used any more',
      arguments: '[folder]',
      options: [json],
      examples: ['skills distrust'],
      run: async (input, io) => (await import('./trust-cli.ts')).distrustSkills(await deps(), input, io),
    },
  ]
}
