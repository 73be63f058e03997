/** `svc setup`: its options; the dialogue is loaded when it begins. */
import type { CliCommand, PluginContext } from 'svc/sdk'

export function createSetupCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'setup',
    description:
      'Asks what svc needs to know, section by section. Each answer is checked at once; a section is written in one step when its last question is answered.',
    arguments: '[section]',
    options: [
      { flags: '--list', description: 'The sections and their questions' },
      { flags: '--portal', description: 'Only sign in to the Nous Portal, which serves models' },
      {
        flags: '--non-interactive',
        description: 'Ask nothing: take the answers that are given and the values in force',
      },
      { flags: '--answer <key=value...>', description: 'The answer to a question of the section; may be repeated' },
      { flags: '--json', description: 'The result as JSON' },
    ],
    examples: ['setup', 'setup model', 'setup agent --non-interactive --answer max_iterations=120'],
    run: async (input, io) => (await import('./command.ts')).run(ctx, input, io),
  }
}
