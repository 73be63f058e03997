/** What may stand behind an `@`: files and folders, what git has changed, sessions. */
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import type { CommandContext, Completion } from 'svc/sdk'
import { FileIndex } from './file-index.ts'
import { bestMatches } from './match.ts'
import type { MentionsDeps } from './mention.ts'

const MAX_COMPLETIONS = 30
const MAX_SESSIONS = 200
const BEING_TYPED = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"]*))$/

/** Contract: `Completer.complete`. */
export function mentionCompleter(deps: MentionsDeps) {
  const index = new FileIndex(deps)
  return async (text: string, { cwd }: CommandContext): Promise<readonly Completion[]> => {
    const [, quoted, word = ''] = BEING_TYPED.exec(text) ?? []
    const typed = quoted ?? word
    const from = text.lastIndexOf('@')
    if (!BEING_TYPED.test(text)) return []
    if (typed.startsWith('session:')) return sessionsLike(typed.slice('session:'.length), deps, from)
    const isElsewhere = /^(\/|~\/|\.{1,2}\/)/.test(typed)
    const paths = isElsewhere
      ? await listFolder(typed, cwd)
      : bestMatches(typed, await index.names(cwd), MAX_COMPLETIONS)
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
async function listFolder(typed: string, cwd: string): Promise<readonly string[]> {
  const start = typed.endsWith('/') ? '' : basename(typed)
  const shown = typed.slice(0, typed.length - start.length)
  const folder = resolve(
    cwd,
    shown.replace(/^~(?=\/)/, () => homedir()),
  )
  const entries = await readdir(start === '' ? folder : dirname(resolve(folder, start)), { withFileTypes: true }).catch(
    () => [],
  )
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(start.toLowerCase()) && (start !== '' || !name.startsWith('.')))
    .map((entry) => `${shown}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .sort()
    .slice(0, MAX_COMPLETIONS)
}
