/** Who gets what is planned: the settings, and what they come to for the profiles that exist. */
import { Home, SvcError } from 'svc/sdk'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import type { TaskPlanner, TaskRouting } from 'svc/sdk/kanban'
import type { Context } from './planner.ts'
import { readRoster } from './roster.ts'

type Changes = Parameters<TaskPlanner['setRouting']>[0]

export function readRouting(ctx: Context, settings: Context['config'] = ctx.config): TaskRouting {
  const { orchestrator, fallback } = readRoster(ctx.use(Home), settings)
  return {
    orchestrator: settings.orchestrator_profile,
    defaultAssignee: settings.default_assignee,
    isAutomatic: settings.auto_decompose,
    resolvedOrchestrator: orchestrator,
    resolvedDefaultAssignee: fallback,
  }
}

/** Throws `KANBAN_PROFILE_UNKNOWN`, `KANBAN_SETTINGS`, and what writing config.yaml throws. */
export async function writeRouting(ctx: Context, changes: Changes): Promise<TaskRouting> {
  const { assignees } = readRoster(ctx.use(Home), ctx.config)
  for (const name of [changes.orchestrator, changes.defaultAssignee])
    if (name !== undefined && name !== '' && !assignees.some((one) => one.name === name))
      throw new SvcError('KANBAN_PROFILE_UNKNOWN', `There is no profile ${JSON.stringify(name.slice(0, 64))}.`, {
        status: 400,
      })
  const given = {
    orchestrator_profile: changes.orchestrator,
    default_assignee: changes.defaultAssignee,
    auto_decompose: changes.isAutomatic,
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const edits = set.map(([key, value]) => ({ path: `kanban.${key}`, value }))
  if (edits.length === 0) return readRouting(ctx)
  const file = await ctx.use(Plugins).bring(ConfigFile)
  if (!file) throw new SvcError('KANBAN_SETTINGS', 'No plugin that writes config.yaml runs. Switch `config` on.')
  await file.write(edits, { author: ctx.name, reason: 'routing of tasks' })
  return readRouting(ctx, { ...ctx.config, ...Object.fromEntries(set) })
}
