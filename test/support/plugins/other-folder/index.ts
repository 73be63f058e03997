/** Runs the commands of tools in a folder of its own, as if that were another machine: files come with the commands. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import { ShellBackends } from 'svc/sdk/shell'

export default definePlugin({
  setup(ctx) {
    const folder = join(ctx.dataDir, 'project')
    ctx.add(ShellBackends, {
      name: 'other-folder',
      elsewhere: true,
      isolated: () => false,
      status: async () => ({ ready: true, detail: `commands run in ${folder}` }),
      async open({ environment }) {
        await mkdir(folder, { recursive: true })
        return {
          elsewhere: true,
          launch: async ({ command }) => ({
            command,
            environment: { ...environment, HOME: ctx.dataDir },
            cwd: folder,
          }),
          close: async () => {},
        }
      },
    })
  },
})
