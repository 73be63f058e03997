/** Tools of scenario tests. */
import { defineTool, type Tool } from 'svc/sdk'
import { z } from 'zod'

/** Looks at nothing. */
export const looker: Tool = defineTool({
  name: 'look',
  description: 'look',
  input: z.object({}),
  effect: 'pure',
  toolset: 'test',
  reach: 'nothing',
  run: async () => 'seen',
})
