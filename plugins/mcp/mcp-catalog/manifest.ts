/** The manifest of a catalogue entry, version 1: its fields, and what is refused in them. */
import { posix } from 'node:path'
import { z } from 'zod'

/** The newest version of the format that this release reads. */
export const MANIFEST_VERSION = 1
/** In commands, arguments and variables: the folder that the repository of the entry is cloned to. */
export const INSTALL_DIR = `\${INSTALL_DIR}`

const NAME = /^[A-Za-z0-9_-]{1,60}$/
const PROGRAM = /^[\w.+-]+$/
const VARIABLE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/
/** Variables by which programs are led elsewhere, and those of svc itself. */
const RESERVED =
  /^(PATH|HOME|SHELL|IFS|ENV|BASH_ENV|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONSTARTUP|(LD|DYLD|GIT|SVC)_.*)$/
/** As git check-ref-format has it, and never an option. */
const REF = /^(?!.*(\.\.|@\{|\/\/|\.lock$|[./]$))\w[\w./+@-]*$/

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters')

/** Text of a command line or of an address, in which the folder of the clone may stand. */
const argument = z
  .string()
  .max(4096, 'must have at most 4096 characters')
  .refine((text) => !text.includes('\0'), 'must not hold a NUL')
  .refine((text) => !leadsOut(text), `leads out of ${INSTALL_DIR}`)

const program = argument.refine(
  (text) => PROGRAM.test(text) || text.startsWith(`${INSTALL_DIR}/`),
  `must be the name of a program, or a file below ${INSTALL_DIR}`,
)

const environment = z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable'), argument)

const variable = z
  .string()
  .regex(VARIABLE, 'must be the name of a variable in capitals, such as SERVICE_API_KEY')
  .refine((name) => !RESERVED.test(name), 'must not be a variable that changes how programs run')

const stdio = z.object({
  type: z.literal('stdio'),
  command: program,
  args: z.array(argument).max(100).default([]),
  version: line(64).optional(),
  env: environment.default({}),
})

const http = z.object({
  type: z.literal('http'),
  url: z.string().refine(isServerUrl, 'must be an https address; http is for this machine only'),
  version: line(64).optional(),
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^|~-]+$/, 'must be the name of a header'), line(4096)).optional(),
})

const key = z.object({
  name: variable,
  prompt: line(300).optional(),
  required: z.boolean().default(true),
  secret: z.boolean().default(true),
  default: line(1000).optional(),
})

const auth = z.discriminatedUnion('type', [
  z.object({ type: z.literal('none') }),
  z.object({ type: z.literal('api_key'), env: z.array(key).min(1, 'must name a variable').max(20) }),
  z.object({
    type: z.literal('oauth'),
    provider: line(100).optional(),
    scopes: z.array(line(200)).max(50).default([]),
    env_var: variable.optional(),
  }),
])

const install = z.object({
  type: z.literal('git'),
  url: z.string().refine(isRepository, 'must be an address of git without a password: https, ssh or file'),
  ref: z.string().regex(REF, 'must be a branch, a tag or a commit'),
  bootstrap: z.array(line(4096)).max(20).default([]),
})

const manifest = z
  .object({
    manifest_version: z.literal(MANIFEST_VERSION),
    name: z.string().regex(NAME, 'must be letters, digits, - and _').optional(),
    description: line(500),
    source: z
      .string()
      .regex(/^https:\/\/\S{1,500}$/, 'must be an https address')
      .optional(),
    icon: z
      .string()
      .refine((path) => PROGRAM.test(path), 'must be a file beside the manifest')
      .optional(),
    transport: z.discriminatedUnion('type', [stdio, http]),
    auth: auth.default({ type: 'none' }),
    tools: z.object({ default_enabled: z.array(line(200)).max(500).optional() }).default({}),
    install: install.optional(),
    post_install: z.string().max(4000, 'must have at most 4000 characters').optional(),
  })
  .superRefine(({ transport, install: from }, issues) => {
    if (from || !JSON.stringify(transport).includes(INSTALL_DIR)) return
    issues.addIssue({ code: 'custom', path: ['install'], message: `is missing, and ${INSTALL_DIR} needs it` })
  })

/** A manifest that was checked. */
export type CatalogManifest = z.infer<typeof manifest> & { readonly name: string }
/** A variable that an entry wants to be set. */
export type CatalogKey = z.infer<typeof key>
/** Where the files of an entry come from. */
export type CatalogInstall = z.infer<typeof install>

/** Why an entry cannot be used. `future_manifest`: a newer release of svc reads it. */
export interface CatalogDiagnostic {
  /** Of the entry: its folder. */
  readonly name: string
  readonly kind: 'future_manifest' | 'invalid_manifest'
  readonly message: string
}

/** Checks the values of a manifest in the folder `name`. */
export function readManifest(name: string, values: unknown): CatalogManifest | CatalogDiagnostic {
  const version = isMapping(values) ? values['manifest_version'] : undefined
  if (typeof version === 'number' && Number.isInteger(version) && version > MANIFEST_VERSION) {
    const message = `${name} has a manifest of version ${version}, which needs a newer release of svc. It is left out.`
    return { name, kind: 'future_manifest', message }
  }
  if (!NAME.test(name)) return invalid(name, 'the folder must be named with letters, digits, - and _')
  const result = manifest.safeParse(normalize(values), {
    error: ({ input }) => (input === undefined ? 'is missing' : undefined),
  })
  if (!result.success) {
    const reasons = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the manifest'}: ${message}`)
    return invalid(name, reasons.join('; '))
  }
  if (result.data.name !== undefined && result.data.name !== name)
    return invalid(name, `name: is "${result.data.name}", and the folder is "${name}"`)
  return { ...result.data, name }
}

export function invalid(name: string, reason: string): CatalogDiagnostic {
  return { name, kind: 'invalid_manifest', message: `${name} cannot be used: ${reason}.` }
}

/** What an entry asks for before its server can work. */
export function listKeys({ auth: wanted }: Pick<CatalogManifest, 'auth'>): readonly CatalogKey[] {
  if (wanted.type === 'api_key') return wanted.env
  if (wanted.type !== 'oauth' || wanted.env_var === undefined) return []
  const prompt = `Token of ${wanted.provider ?? 'the service'}`
  return [{ name: wanted.env_var, prompt, required: true, secret: true }]
}

/** `transport: stdio` with its fields beside it, and `auth: none`, are short for the mappings. */
function normalize(values: unknown): unknown {
  if (!isMapping(values)) return values
  const { transport, auth: wanted, env, ...rest } = values
  const { command, args, url, version, headers } = rest
  const fields = Object.entries({ command, args, url, version, headers, env }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    ...rest,
    transport: typeof transport === 'string' ? { type: transport, ...Object.fromEntries(fields) } : transport,
    ...(wanted === undefined ? {} : { auth: typeof wanted === 'string' ? { type: wanted } : wanted }),
  }
}

/** A path that begins at the folder of the clone and ends above it. */
function leadsOut(text: string): boolean {
  const [, ...rest] = text.split(INSTALL_DIR)
  return rest.some((after) => {
    const path = /^[^\s'":;,=]*/.exec(after)?.[0] ?? ''
    return path !== '' && (!/^[/\\]/.test(path) || posix.normalize(`.${path.replaceAll('\\', '/')}`).startsWith('..'))
  })
}

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return false
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
}

function isRepository(text: string): boolean {
  if (/^git@[\w.-]+:[\w./~-]+$/.test(text)) return true
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return ['https:', 'ssh:', 'file:'].includes(url.protocol) && url.password === ''
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
