/** The tool `terminal`, as the model is told of it. Its work is imported when it is first used. */
import { type Clock, defineTool, type Tool } from 'svc/sdk'
import { z } from 'zod'
import type { Config } from './config.ts'
import type { Shells } from './shells.ts'

const input = z.object({
  command: z.string().min(1),
  timeout: z.number().positive().optional().describe('seconds, at most 600'),
  workdir: z.string().optional().describe('folder for this command only'),
})

/** What the model asked for. */
export type TerminalInput = z.infer<typeof input>

/** What the tool needs of the plugin. */
export interface TerminalHost {
  readonly config: Config
  readonly clock: () => Clock
  readonly mask: (text: string) => string
  readonly shells: () => Promise<Shells>
}

/** Makes the tool. */
export function terminalTool(host: TerminalHost): Tool {
  return defineTool<TerminalInput>({
    name: 'terminal',
    description: host.config.persistent_shell
      ? 'Run a shell command. Folder, variables and functions last between calls. No input, no terminal: use flags instead of prompts. For reading, writing and searching files prefer the file tools.'
      : 'Run a shell command in a fresh shell. No input, no terminal: use flags instead of prompts. For reading, writing and searching files prefer the file tools.',
    input,
    effect: 'once',
    toolset: 'terminal',
    run: async (request, turn) => (await import('./run-command.ts')).runCommand(request, turn, host),
  })
}
