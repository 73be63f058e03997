/** Wires the web UI: the folder that the build made, as the pages of the dashboard. */
import { definePlugin } from 'svc/sdk'
import { DashboardFiles } from 'svc/sdk/dashboard'
import { findWebUi } from './folder.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(DashboardFiles, {
      name: 'web-ui',
      prefix: '',
      folder: findWebUi(),
      fallback: 'index.html',
      frame: 'frame.html',
    })
  },
})
