import { definePlugin } from 'svc/sdk'
import { FileWatcher } from 'svc/sdk/storage'
import { FolderWatches } from './folder-watches.ts'

export default definePlugin({
  setup(ctx) {
    const watches = new FolderWatches(ctx)
    ctx.provide(FileWatcher, () => watches)
    ctx.defer(() => watches.close())
  },
})
