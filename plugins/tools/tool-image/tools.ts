/** The tool `image_generate`, as the model is told of it. Its work is imported when it is first used. */
import { defineTool, type Tool } from 'svc/sdk'
import { z } from 'zod'
import { chooseBackend } from './choose.ts'
import type { ImageDeps } from './generate.ts'
import { imageView } from './view.ts'

const input = z.object({
  prompt: z.string().trim().min(1).max(32_000),
  aspect_ratio: z.enum(['landscape', 'square', 'portrait']).default('square'),
  image_url: z.string().trim().min(1).optional().describe('picture to change: path or URL'),
})
export type ImageInput = z.infer<typeof input>

/** What is no path. */
const ADDRESS = /^(https?|data):/i

/** Makes the tool. Repeating a call costs money and gives another picture. */
export function imageTool(deps: ImageDeps): Tool {
  return defineTool<ImageInput>({
    name: 'image_generate',
    description: 'Make a picture, or change one.',
    input,
    effect: 'once',
    toolset: 'image_gen',
    reach: 'network',
    view: imageView,
    // The picture goes into svc's own folder.
    // The picture goes into the home of svc.
    acts: ({ image_url: source }) => ({
      writes: [],
      ...(source !== undefined && !ADDRESS.test(source) && { reads: [source] }),
    }),
    missing: () => {
      const choice = chooseBackend(deps, 'make')
      return 'reason' in choice ? choice.reason : undefined
    },
    run: async (asked, turn) => (await import('./generate.ts')).generateImage(asked, turn, deps),
  })
}
