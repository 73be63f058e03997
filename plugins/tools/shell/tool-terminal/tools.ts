/** The tool `terminal`, as the model is told of it. Its work is imported when it is first used. */
import { type Clock, defineTool, type Tool, type ToolContext } from 'svc/sdk'
import type { BackgroundProcesses } from 'svc/sdk/shell'
import { z } from 'zod'
import { describeActs } from './acts.ts'
import type { BackgroundDeps } from './background.ts'
import type { Config } from './config.ts'
import type { Confining } from './confined.ts'
import type { Environments } from './environments.ts'
import type { Folders, Shells } from './shells.ts'
import { terminalView } from './view.ts'

const input = z.object({
  command: z.string().min(1),
  background: z.boolean().optional().describe('return at once; then use the tool process'),
  timeout: z.number().positive().optional().describe('seconds, at most 600'),
  workdir: z.string().optional().describe('folder for this command only'),
  pty: z.boolean().optional().describe('run in a terminal of its own'),
  notify_on_complete: z.boolean().optional().describe('background: be told of its end'),
  watch_patterns: z.array(z.string().min(1)).optional().describe('background: be told of output with these texts'),
  needs: z.array(z.string()).optional().describe('what it lacked, confined'),
})

/** What the model asked for. */
export type TerminalInput = z.infer<typeof input>

/** What the tool needs once it is used. */
export interface OpenTerminal {
  readonly shells: Shells
  readonly environments: Environments
  readonly background: BackgroundDeps
  close(): Promise<void>
}

export interface TerminalDeps {
  readonly config: Config
  readonly persistent: boolean
  readonly clock: () => Clock
  readonly mask: (text: string) => string
  readonly isolated: () => boolean
  /** The name of the backend, where all that it opens is elsewhere. */
  readonly elsewhere: () => string | undefined
  readonly confining: () => Promise<Confining>
  readonly processes: () => BackgroundProcesses | undefined
  readonly open: () => Promise<OpenTerminal>
  readonly folders: Folders
  /** Variables that plugins set for a command. */
  readonly variables: (command: string, turn: ToolContext) => Promise<Readonly<Record<string, string>>>
  /** Where the session's shell stands; undefined while it has none. */
  readonly getFolder: (sessionId: string) => Promise<string | undefined>
}

/** Options by which a command would outlive the script that runs it. */
const LASTING: readonly (keyof TerminalInput)[] = ['background', 'pty', 'notify_on_complete', 'watch_patterns']

function explainNotInScript(given: Readonly<Record<string, unknown>>): string | undefined {
  const lasting = LASTING.find((option) => given[option])
  return lasting && `A script runs commands in the foreground only: leave out ${lasting}.`
}

/** Makes the tool. */
export function terminalTool(deps: TerminalDeps): Tool {
  const shell = deps.persistent ? '. Folder, variables and functions last between calls' : ' in a fresh shell'
  return defineTool<TerminalInput>({
    name: 'terminal',
    knownAs: [{ name: 'Bash', fields: { run_in_background: 'background' } }],
    description: `Run a shell command${shell}. No input: use flags instead of prompts. For reading, writing and searching files prefer the file tools.`,
    input,
    effect: 'once',
    toolset: 'terminal',
    reach: 'network',
    scope: { core: true, scripts: explainNotInScript },
    acts: async (request, place) => {
      const acts = describeActs(request, place, await deps.getFolder(place.sessionId), deps.elsewhere())
      return { ...acts, ...(await (await deps.confining()).acts(request, place)) }
    },
    view: terminalView,
    isolated: deps.isolated,
    run: async (request, turn) =>
      request.background || request.pty
        ? (await import('./background.ts')).runApart(request, turn, deps)
        : (await import('./run-command.ts')).runCommand(request, turn, deps),
  })
}
