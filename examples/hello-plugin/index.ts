/** Greets people: one tool for the model, one slash command for the user, one value in config.yaml. */
import { definePlugin, defineTool, SlashCommands, Tools } from 'svc/sdk'
import { z } from 'zod'

const config = z.object({
  greeting: z.string().default('Hello').meta({ description: 'What comes before the name.' }),
})

export default definePlugin({
  config,
  setup(ctx) {
    const greet = (name: string) => `${ctx.config.greeting}, ${name}!`
    ctx.add(
      Tools,
      defineTool({
        name: 'greet',
        description: 'Greets a person by name.',
        input: z.object({ name: z.string().min(1).describe('Whom to greet') }),
        effect: 'pure',
        toolset: 'hello',
        reach: 'nothing',
        run: async ({ name }) => greet(name),
      }),
    )
    ctx.add(SlashCommands, {
      name: 'greet',
      description: 'Be greeted.',
      category: 'fun',
      argsHint: '[name]',
      run: async (name) => greet(name || 'you'),
    })
  },
})
