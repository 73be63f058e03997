/** The service's work; imported when it is first asked. */
import type { CommandRisk, CommandSetting } from 'svc/sdk'
import { dangers } from './dangerous.ts'
import { hardLine } from './hard-line.ts'
import { type Command, normalise } from './normalise.ts'
import { resolved, sensitive } from './places.ts'

/** Programs that only look or speak: without redirects and wrappers no pattern is about them, and the first call is fast. */
const QUIET = new Set(
  'ls pwd cd echo printf true false : which whoami uname sleep basename dirname id test [ [['.split(' '),
)

/** Contract: `CommandRisks.command` of the SDK. */
export function assessCommand(command: string, setting: CommandSetting): CommandRisk {
  const script = normalise(command, setting)
  const isQuiet = !script.tangled && !script.forkBomb && script.commands.every(isQuietCommand)
  const never = isQuiet ? undefined : hardLine(script)
  return {
    ...(never === undefined ? {} : { never }),
    dangers: (isQuiet ? [] : dangers(script)).map(({ name, why }) => ({ name, why })),
    simple: !script.operators && !script.tangled,
    text: script.text,
    ...(script.uncommented === undefined ? {} : { uncommented: script.uncommented }),
    spellings: [command.trim(), ...script.commands.map(({ name, args }) => [name, ...args].join(' '))],
    variables: script.variables,
    read: script.read,
  }
}

function isQuietCommand({ name, redirects, wrappers }: Command): boolean {
  return QUIET.has(name) && !redirects.length && !wrappers.length
}

/** Contract: `CommandRisks.write` of the SDK. */
export function assessWrite(path: string, cwd: string): string | undefined {
  return sensitive(resolved(path, cwd))
}
