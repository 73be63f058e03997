/** The service's work; imported when it is first asked. */
import type { CommandRisk, CommandSetting } from 'svc/sdk'
import { dangers } from './dangerous.ts'
import { hardLine } from './hard-line.ts'
import { normalise } from './normalise.ts'
import { resolved, sensitive } from './places.ts'

/** Contract: `CommandRisks.command` of the SDK. */
export function assessCommand(command: string, setting: CommandSetting): CommandRisk {
  const script = normalise(command, setting)
  const never = hardLine(script)
  return {
    ...(never === undefined ? {} : { never }),
    dangers: dangers(script).map(({ name, why }) => ({ name, why })),
    simple: !script.operators && !script.tangled,
    text: script.text,
    ...(script.uncommented === undefined ? {} : { uncommented: script.uncommented }),
    spellings: [command.trim(), ...script.commands.map(({ name, args }) => [name, ...args].join(' '))],
    variables: script.variables,
    read: script.read,
  }
}

/** Contract: `CommandRisks.write` of the SDK. */
export function assessWrite(path: string, cwd: string): string | undefined {
  return sensitive(resolved(path, cwd))
}
