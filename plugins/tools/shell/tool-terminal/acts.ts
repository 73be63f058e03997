/** What a call of the tool `terminal` would do, as the gates judge it. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ToolActions } from 'svc/sdk'
import type { TerminalInput } from './tools.ts'

/** `folder` is where the session's shell stands, if it has one. */
export function describeActs(
  { command, workdir }: TerminalInput,
  { cwd }: { readonly cwd: string },
  folder: string | undefined,
): ToolActions {
  const asked = workdir === undefined ? folder : resolve(cwd, workdir.replace(/^~(?=\/|$)/, homedir()))
  return { command, ...(asked !== undefined && { cwd: asked }) }
}
