/** Wires the routes of files and of git. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { fileRoutes } from './file-routes.ts'
import { gitRoutes } from './git-routes.ts'
import { uploadRoutes } from './upload-routes.ts'
import { Uploads } from './uploads.ts'

export default definePlugin({
  setup(ctx) {
    const uploads = new Uploads(ctx)
    ctx.defer(() => uploads.close())
    for (const route of [...fileRoutes(ctx), ...uploadRoutes(ctx, uploads), ...gitRoutes(ctx)])
      ctx.add(DashboardRoutes, route)
  },
})
