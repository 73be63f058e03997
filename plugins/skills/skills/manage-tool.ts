/** `skill_manage`: what a model writes down as a skill, or changes in one. */
import { defineTool, type Tool } from 'svc/sdk'
import { formatReplacement, formatTitle, textIn } from 'svc/sdk/kit/views'
import { z } from 'zod'
import type { ManageDeps } from './manage.ts'

const input = z.object({
  action: z.enum(['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file']),
  name: z.string().min(1).max(64),
  reason: z.string().min(1).max(300).describe('why, for the user'),
  content: z.string().max(100_000).optional().describe('create, edit: the whole SKILL.md'),
  category: z.string().max(64).optional(),
  old_string: z.string().optional().describe('patch'),
  new_string: z.string().optional(),
  replace_all: z.boolean().optional(),
  file_path: z.string().min(1).optional().describe('patch, write_file, remove_file'),
  file_content: z.string().max(1_048_576).optional(),
})
export type ManageInput = z.infer<typeof input>

export function manageTool(deps: ManageDeps): Tool {
  return defineTool<ManageInput>({
    name: 'skill_manage',
    description: 'Keep how a kind of work is done as a skill, or mend one that was wrong. Patch rather than create.',
    input,
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
    run: async (given, turn) => (await import('./manage.ts')).manageSkill(deps, given, turn),
  })
}
