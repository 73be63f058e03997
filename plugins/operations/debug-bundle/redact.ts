/** Takes out of a text what must not leave the machine: keys, passwords, addresses of people, and where the user's folders are. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { Config, type PluginContext, Secrets } from 'svc/sdk'
import { formatConfigPath } from 'svc/sdk/host'
import { compileMask, isVariableReference, KEY_FORM, maskUrlPasswords } from 'svc/sdk/kit/text'

export type Redact = (text: string) => string

const STARS = '***'
const MIN_SECRET = 6

/** Keys by their form, for those that `Secrets` does not know, such as one that was replaced since it was logged. */
const KEY_FORMS: readonly RegExp[] = [
  new RegExp(`\\b${KEY_FORM.source}`, 'g'),
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\b\d{6,12}:[A-Za-z0-9_-]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]
const AFTER_SCHEME = /\b(bearer|basic|token)(\s+)[\w.~+/=-]{12,}/gi
const NAMED =
  /((?:api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d|passphrase|authorization|cookie)["']?\s*[:=]\s*["']?)(?=[^\s"',;}&]*\d)[^\s"',;}&]{6,}/gi
/** In config.yaml, also where it cannot be parsed or is a comment. */
const WRITTEN = /(?:key|token|secret|password|passphrase)["']?\s*:\s*["']?([^\s"'#]{6,})/gi
const MAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** `shown` is the configuration with `***` for each secret of it: what stands there in truth is hidden in all texts, too. */
export function createRedact(ctx: PluginContext<undefined>, shown: unknown): Redact {
  const secrets = ctx.use(Secrets)
  const written = listHidden(shown).map((path) => ctx.use(Config).get(formatConfigPath(path)))
  const values = written.filter((value) => typeof value === 'string' || typeof value === 'number').map(String)
  const all = [...values, ...listWritten(ctx.use(Config).file)]
  const own = compileMask(
    all.filter(({ length }) => length >= MIN_SECRET),
    [],
  )
  const home = secrets.get('HOME') ?? homedir()
  return (text) => {
    let masked = secrets.mask(own(text))
    for (const form of KEY_FORMS) masked = masked.replace(form, STARS)
    masked = maskUrlPasswords(masked)
      .replace(AFTER_SCHEME, `$1$2${STARS}`)
      .replace(NAMED, `$1${STARS}`)
      .replace(MAIL, 'name@mail')
    return home.length > 1 ? masked.replaceAll(home, '~') : masked
  }
}

/** Paths at which stars stand. */
function listHidden(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === STARS) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => listHidden(item, [...path, key]))
}

/** What has the name of a secret in the text of config.yaml. */
function listWritten(file: string): string[] {
  if (!existsSync(file)) return []
  return [...readFileSync(file, 'utf8').matchAll(WRITTEN)]
    .map(([, value = '']) => value)
    .filter((value) => !isVariableReference(value))
}

/** A tree of plain data with each of its texts replaced. `key`: the name under which a text or its list stands. */
export function mapTexts(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change, name)]))
}
