/** The input of `skill_manage`, as a model gives it and as it waits for a person. */
import { z } from 'zod'

export const manageInput = z.object({
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
export type ManageInput = z.infer<typeof manageInput>
