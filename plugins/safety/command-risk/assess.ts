/** The work of the service `command-risks`; imported when it is first asked. */
import type { ShellCommandContext, ShellCommandRisk } from 'svc/sdk/shell'
import { withoutBuildOutput } from './build-output.ts'
import { dangers } from './dangerous.ts'
import { realHomes, realPaths } from './ground.ts'
import { hardLine } from './hard-line.ts'
import { type Command, type Known, normalise, type Script } from './normalise.ts'
import { quickScan } from './quick-scan.ts'
import { resolvePath, sensitive } from './sensitive-paths.ts'
import { ShellSessions } from './sessions.ts'
import { findTargetPaths } from './targets.ts'

/** Programs that only look or speak: without redirects, paths and wrappers no pattern is about them. */
const QUIET = new Set('pwd echo printf true false : which whoami uname sleep basename dirname id [[ ['.split(' '))
const MAX_SCRIPT = 65_536
const MAX_LEVELS = 3
const MAX_SCRIPTS = 32

/** Contract: `CommandRisks.command` of the SDK. */
export async function assessCommand(
  command: string,
  setting: ShellCommandContext,
  sessions: ShellSessions = new ShellSessions(),
): Promise<ShellCommandRisk> {
  const script = await readWhole(command, setting, sessions)
  const isQuiet = !script.tangled && !script.forkBomb && script.commands.every(isQuietCommand)
  const never = isQuiet ? undefined : findHardLine(script, command)
  const fits = isQuiet ? [] : await withoutBuildOutput(dangers(script), script)
  const risk: ShellCommandRisk = {
    ...(never === undefined ? {} : { never }),
    dangers: fits.map((fit) => {
      const targets = findTargetPaths(fit, script)
      return { name: fit.name, why: fit.why, harm: fit.harm, ...(targets ? { targets } : {}) }
    }),
    writes: script.writes,
    simple: !script.operators && !script.tangled,
    text: script.text,
    ...(script.uncommented === undefined ? {} : { uncommented: script.uncommented }),
    spellings: [
      command.trim(),
      ...script.commands.flatMap(({ name, args }) => (name === '' ? [] : [name, ...args].join(' '))),
    ],
    variables: script.variables,
    read: script.read,
  }
  sessions.expect(risk, { state: script.state, variables: script.variables })
  return risk
}

/** Why a script is never run. What is too tangled to be read is looked through for programs of the hard line. */
export function findHardLine(script: Script, command: string): string | undefined {
  return hardLine(script) ?? (script.tangled ? quickScan(command) : undefined)
}

/** The script with the files that it runs, up to three levels, on the ground of the machine. */
export async function readWhole(
  command: string,
  setting: ShellCommandContext,
  sessions: ShellSessions,
): Promise<Script> {
  const shell = sessions.get(setting.sessionId)
  const files = new Map<string, string>()
  let script = normalise(command, setting, { shell, files })
  for (let level = 0; level < MAX_LEVELS && script.unread.length; level++) {
    const known = files.size
    await readFiles(script, setting, files)
    if (files.size === known) break
    script = normalise(command, setting, { shell, files } satisfies Known)
  }
  if (script.commands.every(isQuietCommand)) return script
  // The usual home is svc's also while this process uses another one.
  const [homes, real] = await Promise.all([
    realHomes([...(setting.homes ?? []), `${script.home}/.svc`]),
    realPaths(script),
  ])
  return { ...script, ground: { homes, real } }
}

/** Empty files and those that are not there are read; one that cannot be read stays unread. */
async function readFiles(script: Script, setting: ShellCommandContext, files: Map<string, string>): Promise<void> {
  for (const path of script.unread.slice(0, MAX_SCRIPTS)) {
    if (files.has(path) || files.size >= MAX_SCRIPTS) continue
    const text = await setting.read?.(path).catch(() => undefined)
    if (text !== undefined && text.length <= MAX_SCRIPT) files.set(path, text)
  }
}

function isQuietCommand({ name, program, redirects, wrappers, assigned }: Command): boolean {
  return QUIET.has(name) && program === name && !redirects.length && !wrappers.length && !assigned.length
}

/** Contract: `CommandRisks.write` of the SDK. */
export function assessWrite(path: string, cwd: string): string | undefined {
  return sensitive(resolvePath(path, cwd))
}
