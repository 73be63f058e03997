/** The skills of projects: found by the working folder, and used as far as a person agreed to their content. */
import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { type Clock, errorMessage, type Logger, SvcError } from 'svc/sdk'
import type { Skill, SkillFile, SkillProblem } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import { discover, type FoundSkill } from '../discover.ts'
import { inspectFolder, readText } from '../folder.ts'
import type { Agreements, Decided } from './agreements.ts'
import type { ProjectRoot } from './locate.ts'

/** For so long a look at a project is taken as its present state. What is read is compared with what was agreed to each time. */
const FRESH_MS = 2000
const MAX_SKILLS = 100
const MAX_PROJECTS = 50

/** What a person decided about the content that a skill has now; `changed`: about other content. */
export type Standing = 'agreed' | 'refused' | 'changed' | 'new'

/** A skill of a project, used or not. */
export interface ProjectSkill extends Decided {
  readonly skill: Skill
  readonly files: readonly SkillFile[]
  readonly standing: Standing
  /** SKILL.md as it was when a person agreed. */
  readonly before?: string
}

type Seen = Omit<ProjectSkill, 'standing' | 'before'>

interface Look {
  readonly at: number
  readonly skills: readonly Seen[]
  readonly problems: readonly SkillProblem[]
}

export interface ProjectDeps {
  readonly clock: () => Clock
  readonly log: Logger
  readonly state: PluginState<Agreements>
}

export class ProjectSkills {
  readonly #deps: ProjectDeps
  readonly #looks: Map<string, Look> = new Map()

  constructor(deps: ProjectDeps) {
    this.#deps = deps
  }

  /** All of them, also those that are not used; of several with one name the first. */
  async all(roots: readonly ProjectRoot[]): Promise<readonly ProjectSkill[]> {
    const agreed = this.#deps.state.get()
    return (await this.#look(roots)).skills.map((seen) => ({ ...seen, ...judge(seen, agreed) }))
  }

  async problems(roots: readonly ProjectRoot[]): Promise<readonly SkillProblem[]> {
    const { problems } = await this.#look(roots)
    const open = (await this.all(roots)).filter(({ standing }) => standing !== 'agreed')
    return [...problems, ...open.map(({ folder, standing }) => ({ folder, reason: REASONS[standing] }))]
  }

  /**
   * Throws `SKILL_NOT_AGREED` when the content of the skill is not what a person agreed to, and `SKILL_NOT_FOUND` for a file that
   * the agreement does not cover. To be called after the file was read.
   */
  async check({ name, folder }: Skill, path: string): Promise<void> {
    const { hash, files } = await inspectFolder(folder)
    const known = this.#deps.state.get()[folder]
    if (!known?.isAgreed || known.hash !== hash)
      throw new SvcError(
        'SKILL_NOT_AGREED',
        `The skill ${name} of this project is not what the user agreed to. The user sees what changed with: svc skills trust`,
      )
    if (!files.some((file) => file.path === path))
      throw new SvcError('SKILL_NOT_FOUND', `The skill has no file ${path} that its user agreed to.`)
  }

  async #look(roots: readonly ProjectRoot[]): Promise<Look> {
    const key = roots.map(({ path }) => path).join('\n')
    const now = this.#deps.clock().monotonic()
    const known = this.#looks.get(key)
    if (known && now - known.at < FRESH_MS) return known
    const look = { at: now, ...(await this.#read(roots)) }
    this.#looks.delete(key)
    this.#looks.set(key, look)
    for (const oldest of [...this.#looks.keys()].slice(0, -MAX_PROJECTS)) this.#looks.delete(oldest)
    return look
  }

  async #read(roots: readonly ProjectRoot[]): Promise<Omit<Look, 'at'>> {
    const skills: Seen[] = []
    const problems: SkillProblem[] = []
    for (const root of roots)
      for (const found of await this.#discover(root, problems)) {
        try {
          const seen = await read(found, root)
          if (skills.length >= MAX_SKILLS)
            problems.push({ folder: found.folder, reason: `more than ${MAX_SKILLS} skills` })
          else if (!skills.some(({ skill }) => skill.name === seen.skill.name)) skills.push(seen)
        } catch (error) {
          problems.push({ folder: found.folder, reason: errorMessage(error) })
        }
      }
    return { skills, problems }
  }

  async #discover({ path }: ProjectRoot, problems: SkillProblem[]): Promise<readonly FoundSkill[]> {
    try {
      return await discover(path)
    } catch (error) {
      this.#deps.log.warn('a folder of skills cannot be read', { folder: path, error })
      problems.push({ folder: path, reason: errorMessage(error) })
      return []
    }
  }
}

const REASONS: Readonly<Record<Standing, string>> = {
  agreed: '',
  new: 'a skill of this project that you have not agreed to; svc skills trust shows it and asks',
  changed: 'it has changed since you agreed to it; svc skills trust shows how and asks',
  refused: 'you refused this skill of the project; svc skills trust asks again',
}

async function read({ folder: found, category }: FoundSkill, { project }: ProjectRoot): Promise<Seen> {
  const folder = await realpath(found)
  if (!folder.startsWith(project + sep)) throw new SvcError('SKILL_INVALID', 'The folder leads out of the project.')
  const { header, files, hash } = await inspectFolder(folder)
  const skill: Skill = {
    ...header,
    origin: 'project',
    trust: 'community',
    source: project,
    folder,
    isDisabled: false,
    ...(category !== undefined && { category }),
  }
  return { skill, folder, hash, files, text: await readText(folder, 'SKILL.md') }
}

function judge({ folder, hash }: Seen, agreed: Agreements): Pick<ProjectSkill, 'standing' | 'before'> {
  const known = Object.hasOwn(agreed, folder) ? agreed[folder] : undefined
  if (!known) return { standing: 'new' }
  if (known.hash === hash) return { standing: known.isAgreed ? 'agreed' : 'refused' }
  return known.isAgreed ? { standing: 'changed', before: known.text } : { standing: 'new' }
}
