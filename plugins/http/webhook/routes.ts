/** Routes of config.yaml and those that were added with `svc webhook add`, which are read again when their file changes. */
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, type Logger, SvcError } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { explainWeakSecret } from 'svc/sdk/safety'
import { z } from 'zod'
import { type RouteSettings, routeName, routeSchema } from './config.ts'
import { condition } from './filters.ts'
import type { Style } from './signature.ts'

/** A route with its name. */
export interface Route extends RouteSettings {
  readonly name: string
  readonly origin: 'config' | 'file'
  /** Undefined: it takes nothing. */
  readonly key: string | undefined
  /** Why it cannot take anything. */
  readonly problem: string | undefined
}

export interface RoutesDeps {
  readonly configured: Readonly<Record<string, RouteSettings>>
  /** Of the added ones. */
  readonly file: string
  readonly log: Logger
  secret(name: string): string | undefined
  protect(value: string): void
}

const fileSchema = z.object({ routes: z.record(routeName, z.unknown()) })
/** Placeholders for a missing secret: a variable that is not set, an example, or the word for "none". */
const NO_SECRET = /^\s*$|^\$\{[^}]*\}$|^(changeme|change-me|secret|todo|none|null|insecure_no_auth|<.*>)$/i

export class Routes {
  readonly #deps: RoutesDeps
  #stamp = ''
  #added: Readonly<Record<string, RouteSettings>> = {}
  /** Each further hidden value makes every log line slower. */
  readonly #hidden: Set<string> = new Set()

  constructor(deps: RoutesDeps) {
    this.#deps = deps
  }

  /** By name; those of config.yaml win. */
  get(name: string): Route | undefined {
    const { configured } = this.#deps
    if (Object.hasOwn(configured, name)) return this.#route(name, configured[name] as RouteSettings, 'config')
    this.#refresh()
    return Object.hasOwn(this.#added, name) ? this.#route(name, this.#added[name] as RouteSettings, 'file') : undefined
  }

  all(): readonly Route[] {
    this.#refresh()
    const names = [...new Set([...Object.keys(this.#deps.configured), ...Object.keys(this.#added)])]
    return names.flatMap((name) => this.get(name) ?? [])
  }

  /** What a new one would be. Throws `WEBHOOK_TAKEN`, or `WEBHOOK_ROUTE` for one that could take nothing. */
  check(name: string, given: unknown): Route {
    if (this.get(name)) throw taken(name)
    const [named, settings] = [routeName.safeParse(name), routeSchema.safeParse(given)]
    const [issue] = [...(named.error?.issues ?? []), ...(settings.error?.issues ?? [])]
    const wrong = (what: string) => new SvcError('WEBHOOK_ROUTE', `The route "${name}" ${what}.`, { status: 400 })
    if (issue || !settings.success) throw wrong(`is malformed: ${issue?.path.join('.')} ${issue?.message}`)
    const route = this.#route(name, settings.data, 'file')
    if (route.problem) throw wrong(route.problem)
    return route
  }

  /** Keeps one that was checked, with the name of the variable in the place of its secret. */
  add(name: string, given: Readonly<Record<string, unknown>>, variable: string): void {
    if (this.get(name)) throw taken(name)
    this.#write({ ...this.#read(), [name]: { ...given, secret_env: variable } })
  }

  /** Throws `WEBHOOK_UNKNOWN`. */
  remove(name: string): Route {
    const route = this.#findAdded(name)
    this.#write(Object.fromEntries(Object.entries(this.#read()).filter(([each]) => each !== name)))
    return route
  }

  /** Of an added route. Throws `WEBHOOK_UNKNOWN`. */
  setEnabled(name: string, enabled: boolean): Route {
    const route = this.#findAdded(name)
    const all = this.#read()
    this.#write({ ...all, [name]: { ...(all[name] as object), enabled } })
    return { ...route, enabled }
  }

  #findAdded(name: string): Route {
    const route = this.get(name)
    if (!route) throw new SvcError('WEBHOOK_UNKNOWN', `There is no route "${name}".`, { status: 404 })
    if (route.origin === 'file') return route
    const message = `The route "${name}" stands in config.yaml. Change it there.`
    throw new SvcError('WEBHOOK_UNKNOWN', message, { status: 409 })
  }

  #route(name: string, settings: RouteSettings, origin: Route['origin']): Route {
    const given = this.#findSecret(settings)
    const key = given === undefined || NO_SECRET.test(given) ? undefined : given
    if (key !== undefined && !this.#hidden.has(key)) this.#deps.protect(key)
    if (key !== undefined) this.#hidden.add(key)
    const problem = findRouteProblem(settings, key) ?? this.#sharedProblem(name, settings.style, key)
    return { ...settings, name, origin, key, problem }
  }

  /** The first route of a secret says which style it belongs to: what one style signs another would take as its own. */
  #sharedProblem(name: string, style: Style, key: string | undefined): string | undefined {
    const { configured } = this.#deps
    const all = { ...this.#added, ...configured }
    for (const [other, settings] of Object.entries(all)) {
      if (other === name) return undefined
      if (settings.style !== style && this.#findSecret(settings) === key)
        return `has the secret of the route "${other}", which signs in another style: give each its own`
    }
    return undefined
  }

  #findSecret({ secret, secret_env: variable }: RouteSettings): string | undefined {
    return secret ?? this.#deps.secret(variable ?? 'WEBHOOK_SECRET')
  }

  /** A broken file leaves the routes that were. */
  #refresh(): void {
    const stamp = readFileStamp(this.#deps.file)
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    try {
      const routes = Object.entries(this.#read()).flatMap(([name, given]) => {
        const settings = routeSchema.safeParse(given)
        if (settings.success) return [[name, settings.data] as const]
        this.#deps.log.warn('an added webhook route is malformed and left out', {
          name,
          problem: settings.error.message,
        })
        return []
      })
      this.#added = Object.fromEntries(routes)
    } catch (error) {
      this.#deps.log.error('the file of added webhook routes cannot be read; its last state stays', {
        error,
      })
    }
  }

  #read(): Readonly<Record<string, unknown>> {
    const { file } = this.#deps
    if (readFileStamp(file) === '') return {}
    try {
      return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).routes
    } catch (cause) {
      throw new SvcError('WEBHOOK_ROUTES_FILE', `${file} is no file of routes. Correct or remove it.`, { cause })
    }
  }

  /** Readers see the old file or the new one, nothing between. */
  #write(routes: Readonly<Record<string, unknown>>): void {
    const { file } = this.#deps
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeAtomicallySync(file, `${JSON.stringify({ routes }, undefined, 2)}\n`, { enforceMode: true })
    this.#stamp = ''
  }
}

function taken(name: string): SvcError {
  return new SvcError('WEBHOOK_TAKEN', `There is a route "${name}" already. Remove it first.`, { status: 409 })
}

/** Two writes within one tick of the file system differ by their inode. */
function readFileStamp(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : ''
}

function findRouteProblem(route: RouteSettings, key: string | undefined): string | undefined {
  if (key === undefined) {
    const where = route.secret_env ? `set ${route.secret_env}` : 'set its secret, or WEBHOOK_SECRET for all routes'
    return `has no secret: ${where}`
  }
  const weakness = explainWeakSecret(key)
  if (weakness !== undefined) return `has a secret that can be guessed: it ${weakness}`
  const { deliver, deliver_extra: extra, deliver_only: isOnly, prompt, script } = route
  if (isOnly && (deliver === 'log' || prompt.trim() === ''))
    return 'delivers without the agent, so it needs a prompt and a target other than the log'
  if (deliver === 'github_comment' && (!extra.repo || !extra.pr_number))
    return 'writes comments, so it needs deliver_extra.repo and deliver_extra.pr_number'
  if (!/^(log|github_comment|[a-z][a-z0-9_-]*(:\S+)?)$/.test(deliver)) return `cannot deliver to "${deliver}"`
  if (script !== undefined && !/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(script))
    return 'has a script that is no path in the folder scripts'
  return filterProblem(route.filters)
}

function filterProblem(filters: unknown): string | undefined {
  try {
    condition(filters, () => [])
    return undefined
  } catch (error) {
    return `has a filter that cannot be understood: ${errorMessage(error)}`
  }
}
