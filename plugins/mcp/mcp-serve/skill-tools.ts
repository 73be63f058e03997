/** Tools that list and read skills; none are served if the service `Skills` is missing. */
import type { PluginContext } from 'svc/sdk'
import { Skills } from 'svc/sdk/skills'
import { z } from 'zod'
import type { Config } from './config.ts'
import { defineOwnTool, type OwnTool, toResult } from './served.ts'

const SURFACE = 'mcp'
const annotations = { readOnlyHint: true, openWorldHint: false }

export function skillTools(ctx: PluginContext<Config>, cwd: string): OwnTool[] {
  const query = { surface: SURFACE, cwd }
  if (!ctx.find(Skills)) return []
  return [
    defineOwnTool({
      name: 'list_skills',
      description: 'List the skills of svc: instructions for kinds of work, with the name and what each is for.',
      input: z.object({}),
      annotations,
      async run() {
        const all = (await ctx.find(Skills)?.list(query)) ?? []
        const usable = all.filter(({ isDisabled, unavailable }) => !isDisabled && unavailable === undefined)
        const skills = usable.map(({ name, description, category, origin, trust }) => ({
          name,
          description,
          category: category ?? null,
          origin,
          trust,
        }))
        return toResult(JSON.stringify({ skills }, null, 1), { skills })
      },
    }),
    defineOwnTool({
      name: 'read_skill',
      description: 'Read a skill of svc, or another file of it.',
      input: z.object({
        name: z.string(),
        path: z.string().optional().describe('A file of the skill, such as references/api.md; left out: SKILL.md.'),
      }),
      annotations,
      async run({ name, path }) {
        const skills = ctx.use(Skills)
        const read = await skills.read(name, { ...query, ...(path !== undefined && { path }) })
        const files = read.files.map((file) => file.path)
        return toResult(read.text, { name: read.skill.name, path: read.path, text: read.text, files })
      },
    }),
  ]
}
