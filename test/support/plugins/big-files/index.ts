/** Downloaded models, which a backup of the home leaves out. */
import { definePlugin } from 'svc/sdk'
import { BackupRules } from 'svc/sdk/operations'

export default definePlugin({
  setup(ctx) {
    ctx.add(BackupRules, {
      name: 'big-files',
      title: 'Models',
      isExcluded: true,
      covers: (path) => path.endsWith('.gguf'),
    })
    ctx.log.info('works')
  },
})
