/** `skills_list` and `skill_view`: how a model finds skills and reads them. */
import { defineTool, type Tool } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'
import type { Skill, Skills } from 'svc/sdk/skills'
import { z } from 'zod'
import { isOffered } from './conditions.ts'
import { findForeign } from './text.ts'

const MAX_LISTED = 200

/** Tools of a turn, for conditions. */
type OfferedTools = () => readonly string[]

const listInput = z.object({ category: z.string().optional() })
const viewInput = z.object({
  name: z.string().min(1),
  file_path: z.string().min(1).optional().describe('another file of the skill'),
})

export function skillTools(skills: () => Skills, tools: OfferedTools): readonly Tool[] {
  return [listTool(skills, tools), viewTool(skills)]
}

function listTool(skills: () => Skills, tools: OfferedTools): Tool {
  return defineTool<z.infer<typeof listInput>>({
    name: 'skills_list',
    description: 'List skills: instructions for kinds of work.',
    input: listInput,
    effect: 'pure',
    toolset: 'skills',
    reach: 'nothing',
    parallel: true,
    scope: { core: true, scripts: true },
    view: { title: ({ input }) => formatTitle(textIn(input, 'category')) },
    async run({ category }, { surface, cwd }) {
      const all = (await skills().list({ surface, cwd, tools: tools() })).filter(isOffered)
      const categories = [...new Set(all.flatMap((skill) => skill.category ?? []))].sort()
      const chosen = category === undefined ? all : all.filter((skill) => skill.category === category)
      const shown = chosen.slice(0, MAX_LISTED).map(({ name, description, category: group }) => ({
        name,
        description,
        ...(group !== undefined && { category: group }),
      }))
      const hint = chosen.length > shown.length ? 'Name a category for the others.' : 'Read one with skill_view.'
      return JSON.stringify({ success: true, skills: shown, categories, count: chosen.length, hint })
    },
  })
}

function viewTool(skills: () => Skills): Tool {
  return defineTool<z.infer<typeof viewInput>>({
    name: 'skill_view',
    knownAs: [{ name: 'Skill', fields: { skill: 'name' } }],
    description: 'Read a skill, or with file_path a file it names.',
    input: viewInput,
    effect: 'pure',
    toolset: 'skills',
    reach: 'nothing',
    parallel: true,
    scope: { core: true, scripts: true },
    view: { title: ({ input }) => formatTitle(textIn(input, 'name'), textIn(input, 'file_path')) },
    async run({ name, file_path }, { surface, cwd, sessionId }) {
      const path = file_path === undefined ? {} : { path: file_path }
      const { skill, text, files, missing } = await skills().read(name, { surface, cwd, sessionId, ...path })
      if (!isOffered(skill))
        return { text: `The skill ${skill.name} is ${skill.unavailable ?? 'switched off'}.`, failed: true }
      const origin = findForeign(skill)
      const shown = {
        success: true,
        name: skill.name,
        description: skill.description,
        ...(file_path !== undefined && { file_path }),
        content: text,
        ...(file_path === undefined && describe(skill, files)),
        readiness_status: missing.length > 0 ? 'setup_needed' : 'available',
        ...(missing.length > 0 && { setup_needed: true, missing }),
      }
      return { text: JSON.stringify(shown), ...(origin !== undefined && { origin }) }
    },
  })
}

function describe(skill: Skill, files: readonly { readonly path: string }[]) {
  const { tags, relatedSkills, folder, variables } = skill
  return {
    skill_dir: folder,
    ...(tags.length > 0 && { tags }),
    ...(relatedSkills.length > 0 && { related_skills: relatedSkills }),
    ...(files.length > 0 && { linked_files: files.map(({ path }) => path) }),
    ...(variables.length > 0 && { required_environment_variables: variables.map(({ name }) => name) }),
  }
}
