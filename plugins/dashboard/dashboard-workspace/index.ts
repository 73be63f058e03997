/** Wires the routes of files and of git. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { fileChangeRoutes } from './file-change-routes.ts'
import { fileRoutes } from './file-routes.ts'
import { filesystemRoutes } from './filesystem-routes.ts'
import { gitBranchRoutes } from './git-branch-routes.ts'
import { gitCompareRoutes } from './git-compare-routes.ts'
import { gitReviewRoutes } from './git-review-routes.ts'
import { gitRoutes } from './git-routes.ts'
import { gitShipRoutes } from './git-ship-routes.ts'
import { uploadRoutes } from './upload-routes.ts'
import { Uploads } from './uploads.ts'

export default definePlugin({
  setup(ctx) {
    const uploads = new Uploads(ctx)
    ctx.defer(() => uploads.close())
    const files = [
      ...fileRoutes(ctx),
      ...fileChangeRoutes(ctx),
      ...uploadRoutes(ctx, uploads),
      ...filesystemRoutes(ctx),
    ]
    const git = [...gitRoutes(ctx), ...gitReviewRoutes(ctx), ...gitCompareRoutes(ctx)]
    const branches = [...gitBranchRoutes(ctx), ...gitShipRoutes(ctx)]
    for (const route of [...files, ...git, ...branches]) ctx.add(DashboardRoutes, route)
  },
})
