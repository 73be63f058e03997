/** Wires the routes of files and of git. */
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { ReadableFolders } from 'svc/sdk/safety'
import { fileChangeRoutes } from './file-change-routes.ts'
import { fileRoutes } from './file-routes.ts'
import { filesystemRoutes } from './filesystem-routes.ts'
import { gitBranchRoutes } from './git-branch-routes.ts'
import { gitCompareRoutes } from './git-compare-routes.ts'
import { gitReviewRoutes } from './git-review-routes.ts'
import { gitRoutes } from './git-routes.ts'
import { gitShipRoutes } from './git-ship-routes.ts'
import { pictureRoutes } from './picture-routes.ts'
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
    const pictures = join(ctx.dataDir, 'pictures')
    // Tools look at them by their paths.
    ctx.add(ReadableFolders, { name: ctx.name, path: pictures })
    const branches = [...gitBranchRoutes(ctx), ...gitShipRoutes(ctx)]
    for (const route of [...files, ...pictureRoutes(ctx, pictures), ...git, ...branches])
      ctx.add(DashboardRoutes, route)
  },
})
