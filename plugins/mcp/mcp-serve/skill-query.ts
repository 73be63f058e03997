/** The skills that clients may use. */
import type { PluginContext } from 'svc/sdk'
import { type Skill, type SkillQuery, Skills } from 'svc/sdk/skills'
import type { Config } from './config.ts'

export function toQuery({ cwd }: { readonly cwd: string }): SkillQuery {
  return { surface: 'mcp', cwd }
}

/** None where the service `Skills` is missing. */
export async function listSkills(
  ctx: PluginContext<Config>,
  client: { readonly cwd: string },
): Promise<readonly Skill[]> {
  const all = (await ctx.find(Skills)?.list(toQuery(client))) ?? []
  return all.filter(({ isDisabled, unavailable }) => !isDisabled && unavailable === undefined)
}
