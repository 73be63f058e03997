/** `svc skills remove` and `svc skills restore`. */
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { formatColumns, hasFlag, printJson, quotePath, safeLine } from 'svc/sdk/kit/terminal'
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
  else io.out(`Removed ${name}. \`svc skills restore ${name}\` takes it back; its files are in ${quotePath(kept)}\n`)
  return 0
}

/** Without a name: what can be restored. */
export async function restoreSkill(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0]
  const isJson = hasFlag(input, 'json')
  if (name !== undefined) {
    const { path } = await hub.restore(name)
    if (isJson) printJson(io, { restored: name, path })
    else io.out(`Restored ${safeLine(name)} as it was when it was removed.\n`)
    return 0
  }
  const removed = hub.removed.map(({ name: each, at, entry }) => ({
    name: each,
    removedAt: new Date(at).toISOString(),
    identifier: entry.identifier,
  }))
  if (isJson) printJson(io, { removed })
  else if (removed.length === 0) io.out('Nothing was removed.\n')
  else {
    const rows = removed.map((each) => [each.name, each.removedAt, safeLine(each.identifier)])
    io.out(`${formatColumns([['NAME', 'REMOVED', 'FROM'], ...rows]).join('\n')}\n`)
  }
  return 0
}
