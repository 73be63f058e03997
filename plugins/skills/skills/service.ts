/** The service `Skills`. */
import { SvcError } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import { escapeUnseen } from 'svc/sdk/kit/terminal'
import type { Skill, SkillFile, SkillQuery, Skills, SkillText } from 'svc/sdk/skills'
import { type Conditions, isOffered, judge } from './conditions.ts'
import type { Config } from './config.ts'
import { applyEdits, type EditBook, selectEdits } from './edits.ts'
import type { Expansions } from './expansions.ts'
import { inspectFolder, listFiles, readText } from './folder.ts'
import { parseSkill } from './header.ts'
import type { SkillLibrary } from './library.ts'
import type { Projects } from './project/projects.ts'
import { addSettings, findMissing, formatLoaded, substitute } from './text.ts'

export interface ServiceDeps {
  readonly library: SkillLibrary
  readonly projects: Projects
  conditions(): Conditions
  /** A variable of the environment or of `.env`. */
  getVariable(name: string): string | undefined
  /** `SVC_HOME`. */
  readonly home: () => string
  /** Told of each skill that a session reads or uses. */
  note(name: string, what: 'views' | 'uses'): void
  readonly substitutes: boolean
  /** The block `skills.config`. */
  readonly settings: Config['config']
  readonly expansions: Expansions
  /** What was changed in skills beside their files. */
  edits(): EditBook
}

export function createSkills(deps: ServiceDeps): Skills {
  const { library, projects } = deps
  const list = async (query: SkillQuery = {}) => {
    const there = deps.conditions()
    const all = addSkills(await library.all(), await projects.list(query.cwd))
    return all.map((skill) => judge(skill, query, there))
  }
  const find = async (name: string, query?: SkillQuery) => {
    const wanted = name.trim().toLowerCase()
    return (await list(query)).find((skill) => skill.name === wanted)
  }
  const skills: Skills = {
    list,
    find,
    async read(name, { path = 'SKILL.md', sessionId, ...query } = {}) {
      const skill = await find(name, query)
      if (!skill) throw notFound(name)
      if (sessionId !== undefined && path === 'SKILL.md') deps.note(skill.name, 'views')
      return readSkill(skill, path, sessionId, deps)
    },
    async load(names, { sessionId, instruction, ...query } = {}) {
      const loaded: SkillText[] = []
      const missing: string[] = []
      for (const name of new Set(names)) {
        const skill = await find(name, query)
        if (!skill || !isOffered(skill)) missing.push(name)
        else loaded.push(await readSkill(skill, 'SKILL.md', sessionId, deps))
      }
      for (const { skill } of loaded) deps.note(skill.name, 'uses')
      const parts = [...(instruction ? [instruction.trim()] : []), ...loaded.map(formatLoaded)]
      return { text: loaded.length > 0 ? parts.join('\n\n') : '', loaded: loaded.map(({ skill }) => skill), missing }
    },
    async send(conversation, { names, line, task, ...more }) {
      const { sessionId, cwd, front } = conversation
      const loaded = await skills.load(names, { sessionId, cwd, surface: front.surface, ...more })
      if (loaded.loaded.length === 0) return loaded
      const note = loaded.missing.length > 0 ? `\n\nSkills that are not there: ${loaded.missing.join(', ')}.` : ''
      deps.expansions.add(sessionId, line, `${loaded.text}${note}\n\n${task}`)
      conversation.send(line, { source: 'person' })
      return loaded
    },
    inspect: (folder, { signal } = {}) => inspectFolder(folder, signal),
    problems: async ({ cwd } = {}) => [...(await library.problems()), ...(await projects.problems(cwd))],
    reload: () => library.scan(),
    onChange(listener) {
      const stop = library.onChange(listener)
      const total = () => library.known().length
      const stopProjects = projects.onChange(() => listener({ added: [], removed: [], changed: [], total: total() }))
      return toRegistration(() => {
        stop()
        stopProjects()
      })
    },
  }
  return skills
}

/** Sorted by name; a skill of a project does not take the name of another one. */
export function addSkills(skills: readonly Skill[], more: readonly Skill[]): readonly Skill[] {
  if (more.length === 0) return skills
  const names = new Set(skills.map(({ name }) => name))
  return [...skills, ...more.filter(({ name }) => !names.has(name))].sort((one, two) => (one.name < two.name ? -1 : 1))
}

async function readSkill(
  skill: Skill,
  path: string,
  sessionId: string | undefined,
  { getVariable, home, substitutes, edits, projects, settings }: ServiceDeps,
): Promise<SkillText> {
  const raw = await readEdited(skill, path, edits())
  await projects.check(skill, path)
  const text = path === 'SKILL.md' ? addSettings((await parseSkill(raw, skill.name)).body, skill, settings) : raw
  const files = (await listEdited(skill, edits())).filter((file) => file.path !== path)
  const variables = sessionId === undefined ? {} : { sessionId }
  return {
    skill,
    path,
    text: substitutes ? substitute(text, skill, variables) : text,
    files,
    missing: await findMissing(skill, { getVariable, home: home() }),
  }
}

async function readEdited({ folder }: Skill, path: string, book: EditBook): Promise<string> {
  const edits = selectEdits(book, folder, path)
  if (edits.length === 0) return readText(folder, path)
  const base = await readText(folder, path).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === 'SKILL_NOT_FOUND') return undefined
    throw error
  })
  const { text } = applyEdits(base, edits)
  if (text === undefined) throw new SvcError('SKILL_NOT_FOUND', `The skill has no file ${path}.`)
  return text
}

/** The files of the folder, with those that edits added and without those that they removed. */
async function listEdited({ folder }: Skill, book: EditBook): Promise<readonly SkillFile[]> {
  const files = new Map((await listFiles(folder)).map((file) => [file.path, file]))
  for (const { folder: where, path, kind, after = '', isDisabled } of book.edits) {
    if (where !== folder || isDisabled || kind === 'replace') continue
    if (kind === 'remove') files.delete(path)
    else files.set(path, { path, bytes: Buffer.byteLength(after) })
  }
  return [...files.values()].sort((one, two) => (one.path < two.path ? -1 : 1))
}

function notFound(name: string): SvcError {
  return new SvcError(
    'SKILL_NOT_FOUND',
    `There is no skill ${escapeUnseen(name.slice(0, 80))}. svc skills list shows them.`,
  )
}
