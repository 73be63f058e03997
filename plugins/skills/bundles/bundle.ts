/** A bundle: skills that are used together, in a file `skill-bundles/<slug>.yaml`. */
import { errorMessage } from 'svc/sdk'
import { hasHiddenText, safeLine } from 'svc/sdk/kit/terminal'
import { z } from 'zod'

/** Skills of one bundle. */
const MAX_SKILLS = 20
/** Characters of a file. */
export const MAX_CHARS = 100_000

const schema = z.object({
  name: z.string().max(64).optional(),
  description: z.string().max(1024).optional(),
  skills: z.array(z.string().min(1).max(64)).min(1).max(MAX_SKILLS),
  instruction: z.string().max(20_000).optional(),
})

export interface Bundle {
  /** Its name as a command. */
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly skills: readonly string[]
  /** To stand before the skills. */
  readonly instruction?: string
  readonly file: string
}

/** Lower-case letters, digits and single hyphens. */
export function toSlug(name: string): string {
  const plain = name.toLowerCase().replace(/[\s_]+/g, '-')
  return plain
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '')
}

/** The bundle of a file, or why there is none. `stem` is the name of the file without its ending. */
export async function parseBundle(
  text: string,
  stem: string,
  file: string,
): Promise<Bundle | { readonly problem: string }> {
  if (text.length > MAX_CHARS) return { problem: `it has more than ${MAX_CHARS} characters` }
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 50 })
  } catch (error) {
    return { problem: `it is not YAML: ${safeLine(errorMessage(error)).slice(0, 200)}` }
  }
  const result = schema.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    return { problem: `${issue?.path.join('.') || 'the file'}: ${issue?.message}` }
  }
  const { name = stem, description = '', skills, instruction } = result.data
  const slug = toSlug(name)
  if (slug === '') return { problem: 'the name has no letter and no digit' }
  if (hasHiddenText(description) || hasHiddenText(instruction ?? ''))
    return { problem: 'it has characters that cannot be seen' }
  const shown = safeLine(description) || `Use ${skills.join(', ')} together`
  return { slug, name: safeLine(name), description: shown, skills, file, ...(instruction && { instruction }) }
}
