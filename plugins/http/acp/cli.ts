/** `svc acp`: the agent of an editor that started it, over standard input and output. */
import type { CliCommand, PluginContext } from 'svc/sdk'
import type { FileChanges } from './file-changes.ts'

export function acpCommand(ctx: PluginContext<undefined>, changes: FileChanges): CliCommand {
  return {
    name: 'acp',
    description:
      'Run as the agent of a code editor: speak the Agent Client Protocol (https://agentclientprotocol.com) over standard ' +
      'input and output. The editor starts this command. At the end of the input, running turns are stopped.',
    examples: ['acp'],
    run: async (_input, io) => (await import('./serve.ts')).serve(ctx, io, changes),
  }
}
