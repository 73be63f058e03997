/** What a call of the tool `terminal` would do, as the gates judge it. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ToolActions } from 'svc/sdk'
import type { TerminalInput } from './tools.ts'

/** `folder` is where the session's shell stands, if it has one; `environment` the one that it runs in, if that is elsewhere. */
export function describeActs(
  { command, workdir }: TerminalInput,
  { cwd }: { readonly cwd: string },
  folder: string | undefined,
  environment: string | undefined,
): ToolActions {
  if (environment !== undefined) {
    // Folders there are not found out by the rules of this machine.
    const there = workdir?.startsWith('/') ? workdir : folder
    return { command, environment, ...(there !== undefined && { cwd: there }) }
  }
  const asked = workdir === undefined ? folder : resolve(cwd, workdir.replace(/^~(?=\/|$)/, homedir()))
  return { command, ...(asked !== undefined && { cwd: asked }) }
}
