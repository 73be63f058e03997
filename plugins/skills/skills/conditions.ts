/** Whether a skill is offered: what its conditions, the machine and the user say. */
import type { Skill, SkillConditions, SkillQuery } from 'svc/sdk/skills'
import type { Config } from './config.ts'

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macos', linux: 'linux', win32: 'windows' }

/** What there is to compare conditions with. */
export interface Conditions {
  readonly config: Pick<Config, 'disabled' | 'platform_disabled'>
  /** As `process.platform`. */
  readonly platform: string
  /** Those of `SkillConditions.environments` in which this process is. */
  readonly environments: () => readonly string[]
  /** The toolset of a tool that exists. */
  toolset(tool: string): string | undefined
}

/** The skill with `isDisabled` and `unavailable` as they are for this query. */
export function judge(skill: Skill, { surface, tools }: SkillQuery, there: Conditions): Skill {
  const { disabled, platform_disabled } = there.config
  const onSurface = surface !== undefined && Object.hasOwn(platform_disabled, surface) ? platform_disabled[surface] : []
  const isDisabled = [...disabled, ...(onSurface ?? [])].includes(skill.name)
  const unavailable = findObstacle(skill.conditions, tools, there)
  return { ...skill, isDisabled, ...(unavailable !== undefined && { unavailable }) }
}

function findObstacle(
  conditions: SkillConditions,
  tools: readonly string[] | undefined,
  there: Conditions,
): string | undefined {
  const {
    platforms,
    environments,
    requiresTools = [],
    requiresToolsets = [],
    fallbackForTools = [],
    fallbackForToolsets = [],
  } = conditions
  if (platforms && !platforms.some((name) => name === PLATFORMS[there.platform]))
    return platforms.length > 0 ? `only for ${platforms.join(', ')}` : 'for a system that is not known'
  if (environments && !there.environments().some((name) => environments.some((each) => each === name)))
    return environments.length > 0 ? `only in ${environments.join(', ')}` : 'for an environment that is not known'
  if (!tools) return undefined
  // Most skills have none of these conditions, and each tool is looked up.
  const isAsked = requiresToolsets.length + fallbackForToolsets.length > 0
  const toolsets = new Set(isAsked ? tools.flatMap((name) => there.toolset(name) ?? []) : [])
  const missing = [
    ...requiresTools.filter((name) => !tools.includes(name)),
    ...requiresToolsets.filter((name) => !toolsets.has(name)),
  ]
  if (missing.length > 0) return `needs ${missing.join(', ')}`
  const better = [
    ...fallbackForTools.filter((name) => tools.includes(name)),
    ...fallbackForToolsets.filter((name) => toolsets.has(name)),
  ]
  return better.length > 0 ? `${better.join(', ')} does it` : undefined
}

/** Whether it is to be shown to a model or run. */
export function isOffered({ isDisabled, unavailable }: Skill): boolean {
  return !isDisabled && unavailable === undefined
}
