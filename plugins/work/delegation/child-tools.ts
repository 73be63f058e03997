/** Which tools a subagent has: those of the turn that begins it, without what subagents go without. */
import { type PluginContext, Tools } from 'svc/sdk'
import { Toolsets } from 'svc/sdk/host'
import type { Config } from './config.ts'
import type { Parent, Role } from './delegation.ts'

export const SURFACE = 'subagent'
export const TOOL = 'delegate_task'

/** Tools say of themselves that they are not for subagents; the user may let them, if toolsets are there to ask. */
export function childTools(
  ctx: Pick<PluginContext<Config>, 'all' | 'find'>,
  { tools }: Pick<Parent, 'tools'>,
  role: Role,
): readonly string[] {
  const all = ctx.all(Tools)
  const hasRules = ctx.find(Toolsets) !== undefined
  const isMeant = (name: string) => {
    if (name === TOOL) return role === 'orchestrator'
    return hasRules || !all.get(name)?.scope?.notOn?.includes(SURFACE)
  }
  const own = tools.filter(isMeant)
  return role === 'orchestrator' && !own.includes(TOOL) ? [...own, TOOL] : own
}
