/** What a script would do, as the gates judge it: nothing while it is locked up, else the shell command that would do the same. */
import { SvcError, type ToolActions } from 'svc/sdk'
import { shellQuote } from 'svc/sdk/shell'
import type { Script } from './tools.ts'

/** A script says that it reaches beyond itself, so that a judge of commands does not take it for harmless. */
const REACH = 'not locked up; reaches svc through a socket'
const WHY = 'runs a script that cannot be locked up (install bubblewrap, and scripts need no question)'

/** Throws `CODE_NOT_ALLOWED` for what no command line can hold. */
export async function describeActs(
  script: Script,
  host: { readonly isLockedUp: () => Promise<boolean>; readonly canAsk: () => boolean },
): Promise<ToolActions> {
  const reads = script.attach?.length ? { reads: script.attach } : {}
  if (await host.isLockedUp()) return { confined: { writable: [], needs: [] }, ...reads }
  if (!host.canAsk())
    throw new SvcError('CODE_NOT_ALLOWED', 'Not run: the script cannot be confined, and no person can be asked.')
  if (script.code.includes('\0')) throw new SvcError('CODE_NOT_ALLOWED', 'Not run: the script holds a NUL character.')
  return { command: formatCommand(script), ask: { reason: WHY, choices: ['once', 'deny'] }, ...reads }
}

/** What a shell would be given to run the script. */
export function formatCommand({ code, language }: Pick<Script, 'code' | 'language'>): string {
  return language === 'python'
    ? `python3 -c ${shellQuote(`# ${REACH}\n${code}`)}`
    : `node --input-type=module -e ${shellQuote(`/* ${REACH} */\n${code}`)}`
}
