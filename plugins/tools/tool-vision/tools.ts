/** The tool `vision_analyze`, as the model is told of it. Its work is imported when it is first used. */
import { defineTool, type Tool } from 'svc/sdk'
import { z } from 'zod'
import type { VisionDeps } from './describe-image.ts'
import { visionView } from './view.ts'

const input = z.object({
  image_url: z.string().trim().min(1).describe('path, http(s) or data: URL'),
  question: z.string().trim().min(1),
})
export type VisionInput = z.infer<typeof input>

/** What is no path. */
const ADDRESS = /^(https?|data):/i

/** Makes the tool. */
export function visionTool(deps: VisionDeps): Tool {
  return defineTool<VisionInput>({
    name: 'vision_analyze',
    description: 'Look at a picture.',
    input,
    effect: 'pure',
    toolset: 'vision',
    reach: 'network',
    scope: { strangers: true },
    acts: ({ image_url: source }) => (ADDRESS.test(source) ? {} : { reads: [source] }),
    parallel: true,
    view: visionView,
    untrusted: true,
    missing: () => (deps.models() || deps.auxiliary() ? undefined : 'needs a model that sees pictures'),
    run: async (asked, turn) => (await import('./describe-image.ts')).describeImage(asked, turn, deps),
  })
}
