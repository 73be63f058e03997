/** `skill_manage`: what a model writes down as a skill, or changes in one. */
import { defineTool, type Tool } from 'svc/sdk'
import { formatReplacement, formatTitle, textIn } from 'svc/sdk/kit/views'
import type { ManageDeps } from './manage.ts'
import { type ManageInput, manageInput } from './manage-input.ts'
import { turnWriter } from './writer.ts'

/** `needsApproval`: each change waits for a person. */
export function manageTool(open: () => Promise<ManageDeps>, needsApproval: boolean): Tool {
  return defineTool<ManageInput>({
    name: 'skill_manage',
    description: 'Keep how a kind of work is done as a skill, or mend one that was wrong. Patch rather than create.',
    input: manageInput,
    effect: 'once',
    toolset: 'skills',
    reach: 'nothing',
    view: {
      title: ({ input: given }) => formatTitle(textIn(given, 'action'), textIn(given, 'name')),
      body: ({ input: given }) => ({
        kind: 'diff',
        text: formatReplacement(
          textIn(given, 'old_string') ?? '',
          textIn(given, 'new_string') ?? textIn(given, 'content') ?? textIn(given, 'file_content') ?? '',
        ),
      }),
    },
    async run(given, turn) {
      const { manageAs } = await import('./manage.ts')
      const deps = await open()
      return manageAs(deps, given, turnWriter({ staged: deps.staged, needsApproval }, given, turn))
    },
  })
}
