/** Profiles for the board: tasks are given to them by what they are for. */
import type { WorkerProfiles } from 'svc/sdk/kanban'
import { describeByHand, describeByModel } from './describe.ts'
import { type Context, findFolder, listFolders } from './profile-folders.ts'
import { readFiles } from './roster.ts'

export function workerProfiles(ctx: Context): WorkerProfiles {
  return {
    async list() {
      const all = listFolders(ctx).map(readFiles)
      return all.map(({ name, is_default, model, provider, description, description_auto, skill_count }) => ({
        name,
        isDefault: is_default,
        ...(model !== null && { model }),
        ...(provider !== null && { provider }),
        description,
        isAutomatic: description_auto,
        skillCount: skill_count,
      }))
    },
    describe: (name, description) => describeByHand(ctx, name, description),
    describeByModel: (name, { isOverwriting, signal }) =>
      describeByModel(ctx, findFolder(ctx, name), isOverwriting, signal),
  }
}
