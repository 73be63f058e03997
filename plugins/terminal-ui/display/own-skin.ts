/** Skins of the user: `skins/<name>.yaml` in SVC_HOME. Loaded when one is chosen or listed. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import type { TextStyle, Theme, ThemeColor } from 'svc/sdk/terminal'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { DEFAULT_SKIN, isSkinName, LIGHT_SKIN } from './skins.ts'

const MAX_BYTES = 64 * 1024
const MAX_SKINS = 200

const color = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'a colour is written "#rrggbb", in quotes')
/** What moves may not move the line it stands in, nor do anything to the terminal. */
const short = z
  .string()
  .max(40, 'at most 40 characters')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'no control characters and no line breaks')
const words = z.array(short.min(1)).min(1).max(100)
const paint = z.strictObject({
  color: color.optional(),
  background: color.optional(),
  bold: z.boolean().optional(),
  dim: z.boolean().optional(),
  italic: z.boolean().optional(),
  underline: z.boolean().optional(),
  strike: z.boolean().optional(),
  inverse: z.boolean().optional(),
})
const roles = Object.keys(DEFAULT_SKIN.colors) as [ThemeColor, ...ThemeColor[]]
const file = z.strictObject({
  name: short.optional(),
  description: short.max(200).optional(),
  light: z.boolean().default(false),
  colors: z.partialRecord(z.enum(roles), z.union([color.transform((each) => ({ color: each })), paint])).default({}),
  spinner: z.strictObject({ thinking_faces: words.optional(), thinking_verbs: words.optional() }).default({}),
  branding: z
    .strictObject({
      agent_name: short.min(1).optional(),
      welcome: short.max(200).optional(),
      goodbye: short.max(200).optional(),
      prompt_symbol: short.min(1).max(4).optional(),
    })
    .default({}),
  tool_prefix: short.max(4).optional(),
})

/** Names of the files there are. A name that could not be asked for is left out. */
export function ownSkinNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => (name.endsWith('.yaml') && isSkinName(name.slice(0, -5)) ? [name.slice(0, -5)] : []))
      .sort()
      .slice(0, MAX_SKINS)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new SvcError('SKIN_INVALID', `The folder ${folder} cannot be read: ${errorMessage(error)}.`, { cause: error })
  }
}

/**
 * The skin of a file; undefined if the file does not exist. Missing values are taken from the default skin, or in the
 * default light one when it says `light: true`. Throws `SKIN_INVALID`.
 */
export function readOwnSkin(folder: string, name: string): Theme | undefined {
  const text = isSkinName(name) ? readSkinText(folder, name) : undefined
  return text === undefined ? undefined : parseSkin(name, text)
}

function readSkinText(folder: string, name: string): string | undefined {
  const path = join(folder, `${name}.yaml`)
  try {
    if (dirname(realpathSync(path)) !== realpathSync(folder)) throw new Error('it leads out of the folder')
    const entry = statSync(path)
    if (!entry.isFile()) throw new Error('it is not a file')
    if (entry.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024} kB`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw createSkinError(name, errorMessage(error), error)
  }
}

function parseSkin(name: string, text: string): Theme {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [fault] = document.errors
  if (fault) throw createSkinError(name, `line ${lines.linePos(fault.pos[0]).line}: ${fault.message}`)
  const result = file.safeParse(readValues(name, () => document.toJS({ maxAliasCount: 50 }) as unknown))
  if (!result.success) throw createSkinError(name, result.error.issues.map(formatIssue).join('; '))
  return mergeSkin(name, result.data)
}

function readValues(name: string, read: () => unknown): unknown {
  try {
    return read() ?? {}
  } catch (error) {
    throw createSkinError(name, errorMessage(error), error)
  }
}

function mergeSkin(name: string, own: z.infer<typeof file>): Theme {
  const base = own.light ? LIGHT_SKIN : DEFAULT_SKIN
  const { branding, spinner } = own
  const colors = Object.entries(own.colors) as [ThemeColor, TextStyle][]
  return {
    name,
    description: own.description ?? '',
    light: own.light,
    colors: {
      ...base.colors,
      ...Object.fromEntries(colors.map(([role, each]) => [role, mergePaint(base.colors[role], each)])),
    },
    spinner: {
      faces: spinner.thinking_faces ?? base.spinner.faces,
      verbs: spinner.thinking_verbs ?? base.spinner.verbs,
    },
    branding: {
      name: branding.agent_name ?? base.branding.name,
      welcome: branding.welcome ?? base.branding.welcome,
      goodbye: branding.goodbye ?? base.branding.goodbye,
      prompt: branding.prompt_symbol ?? base.branding.prompt,
    },
    toolPrefix: own.tool_prefix ?? base.toolPrefix,
  }
}

function mergePaint(base: TextStyle, own: TextStyle): TextStyle {
  const set = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...base, ...Object.fromEntries(set) }
}

function formatIssue({ path, message, ...issue }: z.core.$ZodIssue): string {
  const at = path.map(String).join('.')
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.flat().find((each) => !each.message.startsWith('Invalid input'))
    return `${at}: ${inner?.message ?? 'a colour is written "#rrggbb", in quotes, or as { color, background, bold, ... }'}`
  }
  return at === '' ? message : `${at}: ${message}`
}

function createSkinError(name: string, reason: string, cause?: unknown): SvcError {
  return new SvcError('SKIN_INVALID', `skins/${name}.yaml cannot be used: ${reason.replace(/\.$/, '')}.`, {
    status: 422,
    cause,
  })
}
