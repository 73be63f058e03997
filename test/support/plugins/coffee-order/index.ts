/** A tool that lets the person choose and write. */
import { definePlugin, defineTool, type Person, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    const run = async (person: Person) => {
      ctx.log.info('works')
      const size = await person.choose({ title: 'Which size?', items: ['small', 'large'] }, { timeoutMs: 60_000 })
      if (!size) return 'No size was chosen: nothing was ordered.'
      const note = (await person.edit('A note for the kitchen', { text: 'Please ' })) ?? ''
      person.say(`One ${size} coffee is ordered.`)
      return `ordered: ${size}; note: ${note}`
    }
    ctx.add(
      Tools,
      defineTool({
        name: 'order_coffee',
        description: 'Orders a coffee as the person likes it.',
        input: z.object({}),
        reach: 'nothing',
        run: (_input, { person }) => run(person),
      }),
    )
  },
})
