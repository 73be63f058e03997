/** A tool that takes notes. */
import type { InlinePlugin } from 'svc'
import { defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

export const notes: InlinePlugin = {
  name: 'notes',
  kind: 'tool',
  contributes: { tools: ['take_note'] },
  setup: (ctx) => {
    const run = async () => 'noted'
    const input = z.object({ note: z.string() })
    ctx.add(
      Tools,
      defineTool({
        name: 'take_note',
        description: 'Takes a note.',
        input,
        effect: 'pure',
        toolset: 'notes',
        reach: 'nothing',
        run,
      }),
    )
  },
}
