/** Work at certain times, done by one process of all that share the store. */
import { definePlugin } from 'svc/sdk'
import { Jobs } from 'svc/sdk/jobs'

export default definePlugin({
  setup(ctx) {
    ctx.add(Jobs, {
      name: 'night-watch',
      description: 'Walks round the house.',
      schedule: '30 3 * * *',
      timeZone: 'Europe/Zurich',
      misfire: 'skip',
      run: async ({ dueAt }) => `All was quiet at ${new Date(dueAt).toISOString()}.`,
    })
  },
})
