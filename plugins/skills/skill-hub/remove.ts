/** `svc skills remove`. */
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { hasFlag, printJson, quotePath, safeLine } from 'svc/sdk/kit/terminal'
import type { SkillHub } from './hub.ts'

export async function removeSkill(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] ?? ''
  const entry = hub.installed[name]
  if (!entry)
    throw new SvcError(
      'SKILL_NOT_INSTALLED',
      `No skill ${safeLine(name)} was installed from elsewhere. \`svc skills list --source hub\` shows those that were.`,
      { status: 404 },
    )
  const show = () => io.out(`${name}, from ${safeLine(entry.identifier)}\n`)
  if (!(await confirmCommand(io, `Remove the skill ${name}?`, input.options, show))) return 1
  const kept = await hub.remove(name)
  if (hasFlag(input, 'json')) printJson(io, { removed: name, kept })
  else io.out(`Removed ${name}. Its files are kept in ${quotePath(kept)}\n`)
  return 0
}
