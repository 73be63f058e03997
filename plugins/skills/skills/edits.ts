/**
 * What a model changed in skills, kept apart from their files: the files of a skill stay as their author wrote them, and each edit
 * can be shown, switched off and undone.
 */
import { z } from 'zod'

const edit = z.object({
  id: z.number().int().positive(),
  skill: z.string(),
  /** Of the skill, absolute. */
  folder: z.string(),
  path: z.string(),
  kind: z.enum(['replace', 'write', 'remove']),
  /** `replace`: what is looked for, and whether all of it is replaced. */
  before: z.string().optional(),
  all: z.boolean().optional(),
  /** The new text. */
  after: z.string().optional(),
  at: z.number(),
  author: z.string(),
  reason: z.string(),
  sessionId: z.string(),
  /** Where text that is not the user's came from, of what the author had read. */
  origin: z.string().optional(),
  diff: z.string(),
  isDisabled: z.boolean().optional(),
  /** It waited under this id until a person agreed. */
  stagedId: z.string().optional(),
})
export type SkillEdit = z.infer<typeof edit>

const created = z.object({
  folder: z.string(),
  at: z.number(),
  reason: z.string(),
  sessionId: z.string(),
  origin: z.string().optional(),
  stagedId: z.string().optional(),
})

export const editBook = z.object({ next: z.number().int().positive(), edits: z.array(edit), created: z.array(created) })
export type EditBook = z.infer<typeof editBook>
export const EMPTY_BOOK: EditBook = { next: 1, edits: [], created: [] }

/** Edits of all skills together. */
export const MAX_EDITS = 2000

/** The text of a file with the edits in their order; undefined for a file that is not there. `unused`: their place is gone. */
export function applyEdits(
  base: string | undefined,
  edits: readonly SkillEdit[],
): { readonly text: string | undefined; readonly unused: readonly SkillEdit[] } {
  let text = base
  const unused: SkillEdit[] = []
  for (const each of edits) {
    if (each.isDisabled) continue
    if (each.kind === 'write') text = each.after ?? ''
    else if (each.kind === 'remove') text = undefined
    else if (text === undefined || !each.before || !text.includes(each.before)) unused.push(each)
    else text = replace(text, each.before, each.after ?? '', each.all === true)
  }
  return { text, unused }
}

export function replace(text: string, before: string, after: string, all: boolean): string {
  // A function: `$&` in the new text is no pattern.
  return all ? text.replaceAll(before, () => after) : text.replace(before, () => after)
}

/** Those of one file of a skill. */
export function selectEdits({ edits }: EditBook, folder: string, path: string): readonly SkillEdit[] {
  return edits.filter((each) => each.folder === folder && each.path === path)
}
