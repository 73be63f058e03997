/** Runs the commands of tools with a low priority. */
import { definePlugin } from 'svc/sdk'
import { ShellBackends } from 'svc/sdk/shell'

export default definePlugin({
  setup(ctx) {
    ctx.add(ShellBackends, {
      name: 'nice',
      isolated: () => false,
      status: async () => ({ ready: true, detail: 'runs commands with a low priority' }),
      open: async ({ cwd, environment }) => ({
        elsewhere: false,
        launch: async (program) => ({
          command: ['nice', '-n', '10', ...program.command],
          environment,
          cwd: program.cwd ?? cwd,
        }),
        close: async () => {},
      }),
    })
  },
})
