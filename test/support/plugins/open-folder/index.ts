/** Lets tools read a folder of the home. */
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import { ReadableFolders } from 'svc/sdk/safety'

export default definePlugin({
  setup(ctx) {
    ctx.add(ReadableFolders, { name: 'open-folder', path: join(ctx.dataDir, 'open') })
  },
})
