/** An entry in the menu of the desktop, which `svc uninstall` removes. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import { UninstallSteps } from 'svc/sdk/operations'

export default definePlugin({
  setup(ctx) {
    const file = join(ctx.dataDir, 'svc.desktop')
    ctx.add(UninstallSteps, {
      name: 'menu-entry',
      phase: 'files',
      async find() {
        if (!existsSync(file)) return []
        return [{ text: `Remove the menu entry ${file}`, remove: async () => rmSync(file, { force: true }) }]
      },
    })
    ctx.onStart(() => {
      mkdirSync(ctx.dataDir, { recursive: true })
      writeFileSync(file, '[Desktop Entry]\nName=svc\n')
      ctx.log.info('works')
    })
  },
})
