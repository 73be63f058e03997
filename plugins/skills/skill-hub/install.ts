/** `svc skills install` and `svc skills publish-check`. */
import { resolve } from 'node:path'
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Candidate, SkillHub } from './hub.ts'
import { formatCandidate, toJson } from './report.ts'
import { resolveIdentifier } from './sources/local.ts'

export async function installSkill(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const { args, options } = input
  return await hub.inspect(resolveIdentifier(args[0] ?? '', io.cwd), io.signal, async (scanned) => {
    const { name } = scanned.skill.header
    const category = typeof options['category'] === 'string' ? options['category'] : undefined
    const path = await hub.findPlace(name, category)
    const candidate = hasFlag(input, 'deep') ? await hub.review(scanned, io.signal) : scanned
    const isJson = hasFlag(input, 'json')
    if (!isJson) io.out(formatCandidate(candidate, io))
    checkAllowed(candidate, hasFlag(input, 'force'))
    if (!(await confirmCommand(io, `Install the skill ${name}?`, options))) return 1
    await hub.install(candidate, name, path)
    if (isJson) printJson(io, { ...toJson(candidate), installed: name, path })
    else
      io.out(
        `Installed ${name}. The agent reads it when a task needs it; /${name} runs it. Remove it with \`svc skills remove ${name}\`.\n`,
      )
    return 0
  })
}

/** Throws `SKILL_BLOCKED` with what to do. */
export function checkAllowed({ decision, scan }: Candidate, isForced: boolean): void {
  if (decision === 'allow' || (decision === 'forced' && isForced)) return
  const worst = scan.findings[0]
  const what = worst ? `${worst.rule} in ${worst.path || 'the skill'}: it ${worst.message}` : scan.verdict
  const next =
    decision === 'forced'
      ? 'If you have read it and trust it, repeat the command with --force.'
      : 'Findings of severity critical cannot be overridden.'
  throw new SvcError(
    'SKILL_BLOCKED',
    `The skill is not installed, because the scan says "${scan.verdict}" (${safeLine(what)}). ${next}`,
    { status: 403 },
  )
}

export async function checkFolder(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  return await hub.inspect(resolve(io.cwd, input.args[0] ?? '.'), io.signal, async (candidate) => {
    const { skill, decision } = candidate
    if (hasFlag(input, 'json')) printJson(io, toJson(candidate))
    else {
      io.out(formatCandidate(candidate, io))
      for (const warning of skill.warnings) io.out(`To mend: ${safeLine(warning)}\n`)
      io.out(
        decision === 'allow'
          ? 'Others can install it.\n'
          : 'Others are not able to install it before the findings of severity high and critical are gone.\n',
      )
    }
    return decision === 'allow' ? 0 : 1
  })
}
