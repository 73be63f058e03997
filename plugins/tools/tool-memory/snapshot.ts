/** What is remembered, as each session starts with it. The agent keeps the prompt, so later changes do not touch it. */
import type { PromptPart } from 'svc/sdk'
import type { MemoryDeps, Target } from './tools.ts'

const TITLES = {
  memory: ['memory', 'Your notes from earlier sessions'],
  user: ['user-profile', 'What you know of the user'],
} as const

/** The parts `memory` and `user-profile`; each stays out while its file is empty. */
export function snapshotParts(deps: MemoryDeps): readonly PromptPart[] {
  return [createPromptPart(deps, 'memory'), createPromptPart(deps, 'user')]
}

function createPromptPart(deps: MemoryDeps, target: Target): PromptPart {
  const [name, title] = TITLES[target]
  return {
    name,
    tier: 'volatile',
    async text() {
      const [{ memoryFile, readMemory }, { render }] = await Promise.all([
        import('./memory-file.ts'),
        import('./render.ts'),
      ])
      try {
        const text = readMemory(memoryFile(deps, target))
        return render({ name, title, text: deps.mask(text), limit: deps.limits[target] })
      } catch (error) {
        // A session without memory is better than none.
        deps.warn(`${target} is not told to the model: ${error instanceof Error ? error.message : error}`)
        return undefined
      }
    },
  }
}
