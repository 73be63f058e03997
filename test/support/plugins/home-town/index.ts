/** A section of the setup: the town that the agent is told of. */
import { definePlugin } from 'svc/sdk'
import { SetupSections } from 'svc/sdk/operations'

export default definePlugin({
  setup(ctx) {
    ctx.add(SetupSections, {
      name: 'town',
      title: 'Town',
      description: 'Where you are.',
      questions: async () => [{ key: 'zone', title: 'Time zone', kind: 'text', path: 'timezone' }],
    })
    ctx.log.info('works')
  },
})
