/** Skills of projects, for the service. Nothing else of this folder is loaded where a project has none. */
import type { Skill, SkillProblem } from 'svc/sdk/skills'
import type { At } from './ask.ts'
import { findProjectRoots, type ProjectRoot } from './locate.ts'
import type { ProjectSkills } from './project-skills.ts'

/** What the project of a folder brings, and the consent of a person to it. */
export interface Projects {
  /** Those that a person agreed to as they are now. */
  list(cwd: string | undefined): Promise<readonly Skill[]>
  problems(cwd: string | undefined): Promise<readonly SkillProblem[]>
  /** Throws what `ProjectSkills.check` throws; skills of other origins are not checked. */
  check(skill: Skill, path: string): Promise<void>
  /** Asks a person about what is not decided yet. */
  ask(at: At): Promise<void>
  /** What `list` returned last for a folder, without waiting. */
  known(cwd: string): readonly Skill[]
  /** Calls the listener when `known` changes. */
  onChange(listener: () => void): () => void
}

/** `open` is called when the first skill of a project is looked at. */
export function createProjects(
  own: () => readonly string[],
  open: () => Promise<{
    readonly skills: ProjectSkills
    ask(skills: ProjectSkills, roots: readonly ProjectRoot[], at: At): Promise<void>
  }>,
): Projects {
  const known = new Map<string, readonly Skill[]>()
  const listeners = new Set<() => void>()
  let opening: ReturnType<typeof open> | undefined
  const opened = () => (opening ??= open())
  const find = async (cwd: string | undefined) => (cwd === undefined ? [] : findProjectRoots(cwd, own()))
  const list: Projects['list'] = async (cwd) => {
    const roots = await find(cwd)
    const all = roots.length > 0 ? await (await opened()).skills.all(roots) : []
    const agreed = all.flatMap(({ skill, standing }) => (standing === 'agreed' ? [skill] : []))
    if (cwd !== undefined) note(cwd, agreed)
    return agreed
  }
  const note = (cwd: string, skills: readonly Skill[]) => {
    const before = known.get(cwd) ?? []
    const isSame = before.length === skills.length && before.every(({ name }, at) => name === skills[at]?.name)
    if (skills.length > 0) known.set(cwd, skills)
    else known.delete(cwd)
    if (!isSame) for (const listener of listeners) listener()
  }
  return {
    list,
    async problems(cwd) {
      const roots = await find(cwd)
      return roots.length > 0 ? (await opened()).skills.problems(roots) : []
    },
    async check(skill, path) {
      if (skill.origin === 'project') await (await opened()).skills.check(skill, path)
    },
    async ask(at) {
      const roots = await find(at.cwd)
      if (roots.length === 0) return
      const { skills, ask } = await opened()
      await ask(skills, roots, at)
    },
    known: (cwd) => known.get(cwd) ?? [],
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
