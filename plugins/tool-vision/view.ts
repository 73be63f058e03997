/** Calls that see, draw, speak and listen. */
import type { ShownCall, ToolView } from 'svc/sdk'
import { oneLine, titleOf } from './text.ts'
import { textIn } from './value.ts'

/** Where the input of each tool has what it is about. */
const ABOUT = ['image_url', 'question', 'prompt', 'text', 'path']

export const media: ToolView = {
  name: 'media',
  tools: ['vision_analyze', 'image_generate', 'text_to_speech', 'transcribe'],
  title: ({ input }) => titleOf(...ABOUT.map((key) => place(textIn(input, key)))),
  inline: madeFile,
}

/** A picture that is written out in its address would fill the title. */
function place(text: string | undefined): string | undefined {
  return text?.startsWith('data:') ? text.slice(0, 100).replace(/[;,].*$/s, '') : text
}

/** Where the file is that was made. */
function madeFile({ state, data }: ShownCall) {
  const path = state === 'done' ? textIn(data, 'path') : undefined
  return path === undefined ? undefined : ({ kind: 'text', text: oneLine(path) } as const)
}
