/** What may stand behind an `@`: files and folders, what git has changed, sessions. */
import { basename } from 'node:path'
import type { CommandContext, Completion } from 'svc/sdk'
import { FileIndex } from './file-index.ts'
import { bestMatches } from './match-paths.ts'
import type { MentionSession, MentionsDeps } from './mention.ts'

const MAX_COMPLETIONS = 30
const MAX_SESSIONS = 200
/** Names of a folder that are looked at. */
const MAX_LISTED = 100_000
const BEING_TYPED = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"]*))$/

/** Contract: `Completer.complete`. */
export function mentionCompleter(deps: MentionsDeps) {
  const index = new FileIndex(deps)
  return async (text: string, { cwd, sessionId }: CommandContext): Promise<readonly Completion[]> => {
    const [, quoted, word = ''] = BEING_TYPED.exec(text) ?? []
    const typed = quoted ?? word
    const from = text.lastIndexOf('@')
    if (!BEING_TYPED.test(text)) return []
    if (typed.startsWith('session:')) return sessionsLike(typed.slice('session:'.length), deps, from)
    const isElsewhere = /^(\/|~\/|\.{1,2}\/)/.test(typed)
    const paths = isElsewhere
      ? await listFolder(typed, { cwd, sessionId }, deps)
      : bestMatches(typed, await index.names({ cwd, sessionId }), MAX_COMPLETIONS)
    const specials = quoted === undefined ? specialsLike(typed, deps, from) : []
    return [...specials, ...paths.map((path) => createPathCompletion(path, from))].slice(0, MAX_COMPLETIONS)
  }
}

function createPathCompletion(path: string, from: number): Completion {
  const isFolder = path.endsWith('/')
  const isOdd = /[\s"]/.test(path)
  const end = isOdd && !isFolder ? '"' : ''
  return { text: `@${isOdd ? '"' : ''}${path}${end}`, from, label: path, ...(isFolder && { open: true }) }
}

function specialsLike(typed: string, { t }: MentionsDeps, from: number): readonly Completion[] {
  const all = [
    { text: '@diff', detail: t('what git has changed') },
    { text: '@staged', detail: t('what git will commit') },
    { text: '@session:', detail: t('what was said in a session'), open: true },
    { text: '@url:', detail: t('a web page'), open: true },
  ]
  return all.filter(({ text }) => text.startsWith(`@${typed}`)).map((special) => ({ ...special, from }))
}

function sessionsLike(typed: string, { sessions }: MentionsDeps, from: number): readonly Completion[] {
  const wanted = typed.toLowerCase()
  return sessions()
    .list({ limit: MAX_SESSIONS })
    .filter(({ id, title = '' }) => id.includes(wanted) || title.toLowerCase().includes(wanted))
    .slice(0, MAX_COMPLETIONS)
    .map(({ id, title }) => ({
      text: `@session:${id}`,
      from,
      label: id,
      ...(title !== undefined && { detail: title }),
    }))
}

/** What is in a folder that is elsewhere. */
async function listFolder(typed: string, session: MentionSession, deps: MentionsDeps): Promise<readonly string[]> {
  const start = typed.endsWith('/') ? '' : basename(typed)
  const shown = typed.slice(0, typed.length - start.length)
  const options = { sessionId: session.sessionId, limit: MAX_LISTED }
  const names = await deps
    .files()
    .names(shown === '' ? '.' : shown, session.cwd, options)
    .catch(() => [])
  return names
    .filter((name) => name.toLowerCase().startsWith(start.toLowerCase()) && (start !== '' || !name.startsWith('.')))
    .map((name) => `${shown}${name}`)
    .slice(0, MAX_COMPLETIONS)
}
