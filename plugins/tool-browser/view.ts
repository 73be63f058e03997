/** Calls that drive the browser. */
import type { ToolView } from 'svc/sdk'
import { titleOf } from './text.ts'
import { textIn } from './value.ts'

const KEYS = ['ref', 'url', 'direction', 'key', 'text', 'action', 'prompt_text', 'question', 'expression']

export const browser: ToolView = {
  name: 'browser',
  tools: [
    'browser_navigate',
    'browser_back',
    'browser_scroll',
    'browser_snapshot',
    'browser_get_images',
    'browser_vision',
    'browser_click',
    'browser_type',
    'browser_press',
    'browser_dialog',
    'browser_console',
  ],
  title: ({ input }) => titleOf(...KEYS.map((key) => textIn(input, key))),
}
