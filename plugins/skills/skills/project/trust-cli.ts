/** `svc skills trust` and `svc skills distrust`: the consent to skills of a project. */
import { resolve } from 'node:path'
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { SkillScanner } from 'svc/sdk/skills'
import { decide, forget } from './agreements.ts'
import { describeSkill, isDangerous, scanAll } from './describe.ts'
import { findProjectRoots } from './locate.ts'
import { type ProjectDeps, type ProjectSkill, ProjectSkills } from './project-skills.ts'

export interface TrustDeps extends ProjectDeps {
  /** Folders of skills that are not of a project. */
  own(): readonly string[]
  scanner(): Promise<SkillScanner | undefined>
}

export async function trustSkills(deps: TrustDeps, input: CliArguments, io: CliContext): Promise<number> {
  const cwd = resolve(io.cwd, input.args[0] ?? '.')
  const skills = await readAll(deps, cwd)
  const open = skills.filter(({ standing }) => standing !== 'agreed')
  const scanned = await scanAll(open, await deps.scanner(), io.signal)
  const isForced = hasFlag(input, 'force')
  const chosen = scanned.filter((each) => isForced || !isDangerous(each))
  const dangerous = scanned.filter(isDangerous).map(({ skill }) => skill.skill.name)
  const texts = await Promise.all(scanned.map(describeSkill))
  const show = () => io.out(`${texts.join('\n\n')}\n\n`)
  const question = `Let the agent use ${formatCount(chosen.length, 'skill')} of this project as they are now?`
  const isAgreed = chosen.length > 0 && (await confirmCommand(io, question, input.options, show))
  if (chosen.length > 0 && !isAgreed) return 1
  await refuseChanged(
    deps,
    cwd,
    chosen.map(({ skill }) => skill),
  )
  await decide(
    deps.state,
    chosen.map(({ skill }) => skill),
    { isAgreed: true, at: deps.clock().now() },
  )
  const agreed = chosen.map(({ skill }) => skill.skill.name)
  const refused = isForced ? [] : dangerous
  if (hasFlag(input, 'json')) printJson(io, { agreed, dangerous: refused })
  else {
    if (chosen.length === 0 && texts.length > 0) show()
    report({ agreed, refused }, io)
  }
  return refused.length > 0 ? 1 : 0
}

function report(
  { agreed, refused }: { readonly agreed: readonly string[]; readonly refused: readonly string[] },
  io: CliContext,
): void {
  if (agreed.length > 0) io.out(`Agreed as they are now: ${agreed.join(', ')}. A change asks again.\n`)
  else if (refused.length === 0) io.out('Agreed to before; nothing has changed.\n')
  if (refused.length > 0)
    io.err(`Not agreed to, because the scan found danger: ${refused.join(', ')}. --force agrees nevertheless.\n`)
}

export async function distrustSkills(deps: TrustDeps, input: CliArguments, io: CliContext): Promise<void> {
  const cwd = resolve(io.cwd, input.args[0] ?? '.')
  const skills = await readAll(deps, cwd)
  const folders = await forget(
    deps.state,
    skills.map(({ folder }) => folder),
  )
  const names = skills.filter(({ folder }) => folders.includes(folder)).map(({ skill }) => skill.name)
  if (hasFlag(input, 'json')) printJson(io, { forgotten: names })
  else io.out(names.length > 0 ? `Not used any more: ${names.join(', ')}.\n` : 'They were not agreed to.\n')
}

/** Throws `SKILL_NOT_FOUND` for a folder whose project has no skills. */
async function readAll(deps: TrustDeps, cwd: string): Promise<readonly ProjectSkill[]> {
  const skills = await new ProjectSkills(deps).all(await findProjectRoots(cwd, deps.own()))
  if (skills.length > 0) return skills
  throw new SvcError(
    'SKILL_NOT_FOUND',
    `The project of ${safeLine(cwd)} has no skills that can be used in .svc/skills or .agents/skills. svc skills list tells why.`,
  )
}

/** The person agrees to what was shown. */
async function refuseChanged(deps: TrustDeps, cwd: string, shown: readonly ProjectSkill[]): Promise<void> {
  const now = await readAll(deps, cwd)
  const changed = shown.filter(({ folder, hash }) => now.find((each) => each.folder === folder)?.hash !== hash)
  if (changed.length > 0)
    throw new SvcError(
      'SKILL_NOT_AGREED',
      `Changed while the question was open: ${changed.map(({ skill }) => skill.name).join(', ')}. Nothing was agreed to.`,
    )
}
