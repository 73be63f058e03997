/** Tools of svc, which the configuration of the test serves: they pass gates, as any other. */
import { defineTool, type Tool, type ToolContext, type ToolResult } from 'svc/sdk'
import { z } from 'zod'
import { PICTURE } from './media.ts'

function tool(name: string, run: (turn: ToolContext) => ToolResult | string | Promise<string>): Tool {
  const described = { name, description: `For the suite: ${name}.`, effect: 'pure', reach: 'nothing' } as const
  return defineTool({ ...described, input: z.object({}), run: (_input, turn) => run(turn) })
}

export const chosen: readonly Tool[] = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => ({ text: '', images: [{ mediaType: 'image/png', data: PICTURE }] })),
  tool('test_error_handling', () => Promise.reject(new Error('This tool intentionally returns an error for testing'))),
  tool('test_tool_with_progress', ({ progress }) => {
    for (const step of ['one', 'two', 'three']) progress(step)
    return 'done'
  }),
  tool('test_tool_with_logging', ({ person }) => {
    for (const step of ['one', 'two', 'three']) person.say(step)
    return 'done'
  }),
]
