/** A tool `ask_person` that asks the person of its turn what the test says, and returns the answer as JSON. */
import { defineTool, type Person, Tools } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { z } from 'zod'

/** A model that calls it once for each message. */
export const callsAskPerson = { calls: [{ name: 'ask_person' }] } as const

export function askingTool(asks: (person: Person) => Promise<unknown>): InlinePlugin {
  return {
    name: 'asking-tool',
    contributes: { tools: ['ask_person'] },
    setup(ctx) {
      ctx.add(
        Tools,
        defineTool({
          name: 'ask_person',
          description: 'Asks the person.',
          input: z.object({}),
          effect: 'pure',
          toolset: 'test',
          reach: 'nothing',
          run: async (_, { person }) => JSON.stringify(await asks(person)) ?? 'no answer',
        }),
      )
    },
  }
}
