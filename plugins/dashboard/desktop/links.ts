/**
 * Deep links. `svc://session/ID` comes from anywhere on the machine, so it can only show one of the pages below: nothing of it is run, sent
 * or filled in, except for what is looked for on a page. A path is what a person types at a shell.
 */
import { SvcError } from 'svc/sdk'

const SCHEME = /^svc:\/*/i
const PATH = /^\/(?!\/)[A-Za-z0-9._~:@!$&'()*+,;=%/-]*(?:\?[^#\s"<>\\]*)?$/
const MAX_LENGTH = 2000
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const MAX_SEARCH = 200

/** Where each kind of link leads, and whether it names something there. No shell is among them: a page of it starts one. */
const PLACES: Readonly<
  Record<string, { readonly path: string; readonly takesId?: true; readonly takesSearch?: true }>
> = {
  chat: { path: '/chat', takesId: true },
  session: { path: '/sessions', takesId: true },
  sessions: { path: '/sessions', takesId: true },
  task: { path: '/board', takesId: true },
  board: { path: '/board', takesId: true },
  settings: { path: '/config', takesSearch: true },
  config: { path: '/config', takesSearch: true },
  skills: { path: '/skills', takesSearch: true },
  files: { path: '/files' },
  jobs: { path: '/cron' },
  models: { path: '/models' },
  keys: { path: '/keys' },
  channels: { path: '/channels' },
  plugins: { path: '/plugins' },
  profiles: { path: '/profiles' },
  costs: { path: '/analytics' },
  trace: { path: '/trace' },
  logs: { path: '/logs' },
  operations: { path: '/operations' },
  system: { path: '/system' },
  memory: { path: '/memory' },
  journey: { path: '/journey' },
  docs: { path: '/docs', takesId: true },
}

/** The path of a page, beginning with one slash. Throws `DESKTOP_LINK`. */
export function parseLink(text: string): string {
  const path = SCHEME.test(text) ? findPlace(text.replace(SCHEME, '')) : readPath(text)
  if (path !== undefined) return path
  const message = `The link leads to no page. It looks like svc://session/ID, svc://task/ID or svc://settings?q=WORD; the first word is one of ${Object.keys(PLACES).join(', ')}.`
  throw new SvcError('DESKTOP_LINK', message)
}

function findPlace(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [, name = '', id, query] = /^([a-z]+)(?:\/([^/?#]*))?\/?(?:\?([^#]*))?$/i.exec(text) ?? []
  const place = Object.hasOwn(PLACES, name.toLowerCase()) ? PLACES[name.toLowerCase()] : undefined
  if (!place) return undefined
  const hasId = id !== undefined && id !== ''
  if (hasId && !(place.takesId && ID.test(id))) return undefined
  const search = readSearch(query)
  if (query !== undefined && (search === undefined || !place.takesSearch)) return undefined
  return `${place.path}${hasId ? `/${id}` : ''}${search === undefined ? '' : `?q=${encodeURIComponent(search)}`}`
}

/** Nothing else than `q` may be given. */
function readSearch(query: string | undefined): string | undefined {
  const given = [...new URLSearchParams(query)]
  const [name, value = ''] = given[0] ?? []
  return given.length === 1 && name === 'q' && value.length <= MAX_SEARCH ? value : undefined
}

function readPath(path: string): string | undefined {
  const segments = path.split(/[/?]/)
  const isPath = path.length <= MAX_LENGTH && PATH.test(path) && !segments.includes('..') && !segments.includes('.')
  return isPath ? path : undefined
}
