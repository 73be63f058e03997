/** The service `Skills`. */
import { SvcError } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import { escapeUnseen } from 'svc/sdk/kit/terminal'
import type { Skill, SkillQuery, Skills, SkillText } from 'svc/sdk/skills'
import { type Conditions, isOffered, judge } from './conditions.ts'
import type { Expansions } from './expansions.ts'
import { inspectFolder, listFiles, readText } from './folder.ts'
import { parseSkill } from './header.ts'
import type { SkillLibrary } from './library.ts'
import { findMissing, formatLoaded, substitute } from './text.ts'

export interface ServiceDeps {
  readonly library: SkillLibrary
  conditions(): Conditions
  /** A variable of the environment or of `.env`. */
  getVariable(name: string): string | undefined
  readonly substitutes: boolean
  readonly expansions: Expansions
}

export function createSkills(deps: ServiceDeps): Skills {
  const { library } = deps
  const list = async (query: SkillQuery = {}) => {
    const there = deps.conditions()
    return (await library.all()).map((skill) => judge(skill, query, there))
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
    problems: () => library.problems(),
    reload: () => library.scan(),
    onChange: (listener) => toRegistration(library.onChange(listener)),
  }
  return skills
}

async function readSkill(
  skill: Skill,
  path: string,
  sessionId: string | undefined,
  { getVariable, substitutes }: ServiceDeps,
): Promise<SkillText> {
  const raw = await readText(skill.folder, path)
  const text = path === 'SKILL.md' ? (await parseSkill(raw, skill.name)).body : raw
  const files = (await listFiles(skill.folder)).filter((file) => file.path !== path)
  const variables = sessionId === undefined ? {} : { sessionId }
  return {
    skill,
    path,
    text: substitutes ? substitute(text, skill, variables) : text,
    files,
    missing: await findMissing(skill, getVariable),
  }
}

function notFound(name: string): SvcError {
  return new SvcError(
    'SKILL_NOT_FOUND',
    `There is no skill ${escapeUnseen(name.slice(0, 80))}. svc skills list shows them.`,
  )
}
