/** Pages of plugins: the list that clients get, their frames, and the files of these. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { type PluginContext, SvcError } from 'svc/sdk'
import { DashboardFiles, type DashboardPage, DashboardPages, type SharedView, SharedViews } from 'svc/sdk/dashboard'
import type { HttpRequest, HttpResponse } from 'svc/sdk/web'
import type { Config } from './config.ts'
import { StaticFiles } from './files.ts'
import { renderFrame } from './frame.ts'
import type { PageList } from './page-list.ts'

/** Files that are hashed for one page. */
const MAX_FILES = 500
/** A page in a folder would be one of the dashboard's own origin. */
const NOT_SENT = new Set(['.html', '.webmanifest'])
const HASHED = new Set(['.js', '.mjs', '.css'])
/** What a frame is made of is read by a page without an origin; opened on its own, it does nothing. */
const FILE_HEADERS = {
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "sandbox; default-src 'none'",
}

interface PluginPagesDeps {
  readonly frameKey: () => string
  readonly createNonce: () => string
}

export class PluginPages {
  readonly #ctx: PluginContext<Config>
  readonly #deps: PluginPagesDeps
  readonly #files = new StaticFiles()
  /** Hashes by path and time of change. */
  readonly #hashes = new Map<string, string>()

  constructor(ctx: PluginContext<Config>, deps: PluginPagesDeps) {
    this.#ctx = ctx
    this.#deps = deps
  }

  get prefix(): string {
    return `/dashboard-frames/${this.#deps.frameKey()}`
  }

  /** All that plugins show now. */
  async list(): Promise<PageList> {
    const views = this.#ctx.all(SharedViews)
    const describe = ({ name, title }: SharedView) => ({ name, title, plugin: views.owner(name) ?? '' })
    const all = views.all()
    const own = this.#ctx.all(DashboardPages)
    const frames = own.all().map(async (page) => {
      const { name, title, group = 'insight', uses = {} } = page
      const version = createHash('sha256')
        .update(JSON.stringify(await this.#hash(page)))
        .digest('base64url')
      return {
        ...{ name, title, group, plugin: own.owner(name) ?? '' },
        frame: {
          address: `${this.prefix}/plugins/${name}/`,
          version: version.slice(0, 16),
          routes: [...(uses.routes ?? [])],
          methods: [...(uses.methods ?? [])],
        },
      }
    })
    return {
      pages: [
        ...all
          .filter(({ place }) => place === 'page')
          .map((view) => ({ ...describe(view), group: 'insight' as const })),
        ...(await Promise.all(frames)),
      ],
      slots: all.filter(({ place }) => place !== 'page').map((view) => ({ ...describe(view), place: view.place })),
    }
  }

  /** Answers a path below `prefix`. Throws `DASHBOARD_FILE` and `DASHBOARD_PAGE`. */
  async answer(rest: string, request: HttpRequest, base: string): Promise<HttpResponse> {
    const [kind = '', name = '', ...path] = rest.split('/')
    const around = this.#ctx
      .all(DashboardFiles)
      .all()
      .find(({ frame }) => frame !== undefined)
    if (!around) throw new SvcError('DASHBOARD_FILE', 'There is no such file.', { status: 404 })
    if (kind !== 'plugins') return withFileHeaders(await this.#files.answerFile(around.folder, rest, request))
    const page = this.#ctx.all(DashboardPages).get(name)
    if (!page) throw new SvcError('DASHBOARD_PAGE', `There is no page "${name.slice(0, 64)}".`, { status: 404 })
    if (path.join('') !== '') {
      if (NOT_SENT.has(extname(rest).toLowerCase()))
        throw new SvcError('DASHBOARD_FILE', 'There is no such file.', { status: 404 })
      return withFileHeaders(await this.#files.answerFile(page.folder, path.join('/'), request))
    }
    const html = await readFile(join(around.folder, around.frame ?? ''), 'utf8')
    return renderFrame(html, {
      base,
      prefix: this.prefix,
      nonce: this.#deps.createNonce(),
      page,
      integrity: await this.#hash(page),
    })
  }

  /** The integrity of each script and style sheet, by its path in the folder. What cannot be read has none, and is not loaded. */
  async #hash({ folder }: DashboardPage): Promise<Readonly<Record<string, string>>> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = found.filter((entry) => entry.isFile() && HASHED.has(extname(entry.name))).slice(0, MAX_FILES)
    const hashed = files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [relative(folder, path).split(sep).join('/'), await this.#hashFile(path)] as const
    })
    return Object.fromEntries((await Promise.all(hashed)).toSorted(([one], [two]) => (one < two ? -1 : 1)))
  }

  async #hashFile(path: string): Promise<string> {
    const { mtimeMs, size } = await stat(path)
    const key = `${path}\n${mtimeMs}\n${size}`
    const known = this.#hashes.get(key)
    if (known !== undefined) return known
    const hash = `sha384-${createHash('sha384')
      .update(await readFile(path))
      .digest('base64')}`
    if (this.#hashes.size > 2 * MAX_FILES) this.#hashes.clear()
    this.#hashes.set(key, hash)
    return hash
  }
}

function withFileHeaders(reply: HttpResponse): HttpResponse {
  return { ...reply, headers: { ...reply.headers, ...FILE_HEADERS } }
}
