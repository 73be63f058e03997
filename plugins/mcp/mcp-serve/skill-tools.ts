/** Tools that list and read skills; none are served if the service `Skills` is missing. */
import type { PluginContext } from 'svc/sdk'
import { defineMcpTool, type McpExportTool } from 'svc/sdk/mcp'
import { Skills } from 'svc/sdk/skills'
import { z } from 'zod'
import type { Config } from './config.ts'
import { toResult } from './served.ts'
import { listSkills, toQuery } from './skill-query.ts'

const annotations = { readOnlyHint: true, openWorldHint: false }

export function skillTools(ctx: PluginContext<Config>): McpExportTool[] {
  if (!ctx.find(Skills)) return []
  return [
    defineMcpTool({
      name: 'list_skills',
      description: 'List the skills of svc: instructions for kinds of work, with the name and what each is for.',
      input: z.object({}),
      annotations,
      async run(_input, { client }) {
        const skills = (await listSkills(ctx, client)).map(({ name, description, category, origin, trust }) => ({
          name,
          description,
          category: category ?? null,
          origin,
          trust,
        }))
        return toResult(JSON.stringify({ skills }, null, 1), { skills })
      },
    }),
    defineMcpTool({
      name: 'read_skill',
      description: 'Read a skill of svc, or another file of it.',
      input: z.object({
        name: z.string(),
        path: z.string().optional().describe('A file of the skill, such as references/api.md; left out: SKILL.md.'),
      }),
      annotations,
      async run({ name, path }, { client }) {
        const read = await ctx.use(Skills).read(name, { ...toQuery(client), ...(path !== undefined && { path }) })
        const files = read.files.map((file) => file.path)
        return toResult(read.text, { name: read.skill.name, path: read.path, text: read.text, files })
      },
    }),
  ]
}
