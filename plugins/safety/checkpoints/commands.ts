/** `/rollback`: lists snapshots of the files, compares with them, and restores one. */
import {
  Clock,
  type CommandContext,
  type Completion,
  type Conversation,
  createTranslator,
  errorCode,
  errorMessage,
  logFault,
  type PluginContext,
  Secrets,
  Sessions,
  type SlashCommand,
} from 'svc/sdk'
import { isConfirmation } from 'svc/sdk/kit/commands'
import { safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import { checkConversationChange, type SessionArchive } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import type { Snapshot } from './record.ts'
import type { CheckpointStore, Where } from './service.ts'

export type Context = PluginContext<Config>
type Store = () => Promise<CheckpointStore>
/** What snapshots are of where a command is typed: a project elsewhere, or the working folder. */
export type Locate = (at: CommandContext) => Promise<Where>

const CHAT = '--chat'
const MAX_DIFF_LINES = 80

/** What was typed. */
interface Request {
  readonly verb: 'list' | 'diff' | 'restore'
  /** A number, an id or `undo`. */
  readonly which: string
  readonly file: string
  readonly chat: boolean
  /** No confirmation is needed. */
  readonly sure: boolean
}

/** Makes the command. */
export function rollbackCommand(ctx: Context, store: Store, locate: Locate): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'rollback',
    description: 'List snapshots of the files, or restore one',
    category: 'Session',
    argsHint: '[number [file] [--chat] | diff number | undo]',
    subcommands: ['diff', 'undo'],
    async run(args, at) {
      const request = parse(args)
      if (!request)
        return t('Type /rollback, /rollback 2, /rollback 2 src/file.ts, /rollback diff 2 or /rollback undo.')
      try {
        const where = await locate(at)
        if (request.verb === 'list') return await list(ctx, await store(), where, at)
        if (request.verb === 'diff') return await diff(ctx, await store(), where, request)
        return await restore(ctx, await store(), where, { at, request })
      } catch (error) {
        logFault(ctx.log, '/rollback failed', error)
        const why = errorMessage(error)
        return errorCode(error) === 'CHECKPOINT_UNKNOWN' ? `${why} ${t('/rollback lists them.')}` : why
      }
    },
    complete: async (args, at) => {
      try {
        return await complete(await store(), await locate(at), args, ctx.use(Clock).now())
      } catch (error) {
        ctx.log.debug('snapshots could not be listed for completion', { error })
        return []
      }
    },
  }
}

/** Undefined for invalid input. File names may contain spaces. */
function parse(args: string): Request | undefined {
  const words = args.split(/(\s+)/)
  const [sure, chat] = [words.some(isConfirmation), words.includes(CHAT)]
  const text = words.filter((word) => !isConfirmation(word) && word !== CHAT).join('')
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text.trim()) ?? []
  const flags = { chat, sure, file: '' }
  if (first === '' || first === 'list') return rest === '' && !chat ? { verb: 'list', which: '', ...flags } : undefined
  if (first === 'diff') return /^\S+$/.test(rest) && !chat ? { verb: 'diff', which: rest, ...flags } : undefined
  if (!/^(\d+|undo|[0-9a-f]{4,64})$/.test(first) || (chat && rest !== '')) return undefined
  return { verb: 'restore', which: first, ...flags, file: rest }
}

async function list(
  ctx: Context,
  store: CheckpointStore,
  where: Where,
  { sessionId }: CommandContext,
): Promise<string> {
  const t = createTranslator(ctx)
  await store.available()
  const all = await store.list(where)
  const others = await store.others(where, sessionId)
  const { ageText, namesText } = await import('./text.ts')
  const elsewhere =
    others.length === 0 ? [] : [t('This session also has snapshots of {folders}.', { folders: namesText(others) })]
  if (all.length === 0) {
    const empty = ctx.config.enabled
      ? t('There are no snapshots of this folder yet. One is taken before the first change of each turn.')
      : t('Snapshots are switched off: `checkpoints.enabled` is false.')
    return [empty, ...elsewhere].join('\n\n')
  }
  const now = ctx.use(Clock).now()
  const lines = all.map(({ number, at, reason, changed: { files, insertions, deletions } }) => {
    const head = `${number}. ${t('{age} ago, {reason}', { age: ageText(at, now), reason: safeLine(reason) })}`
    if (files === 0) return `${head}: ${t('no changes since')}`
    return `${head}: ${t('{files, plural, one {# file} other {# files}}', { files })}, +${insertions} -${deletions}`
  })
  const hint = t('/rollback 1 goes back, /rollback diff 1 shows what has changed since.')
  return [lines.join('\n'), ...elsewhere, hint].join('\n\n')
}

async function diff(ctx: Context, store: CheckpointStore, where: Where, { which }: Request): Promise<string> {
  const t = createTranslator(ctx)
  const text = await store.diff(where, which)
  if (text === '') return t('Nothing has changed since.')
  const lines = safeBlock(ctx.use(Secrets).mask(text)).trimEnd().split('\n')
  const shown = lines.slice(0, MAX_DIFF_LINES).join('\n')
  const fence = '`'.repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  const more = lines.length - MAX_DIFF_LINES
  const rest =
    more > 0
      ? `\n${t('{more, plural, one {# more line} other {# more lines}}: svc checkpoints diff {which}', { more, which })}`
      : ''
  return `${fence}diff\n${shown}\n${fence}${rest}`
}

async function restore(
  ctx: Context,
  store: CheckpointStore,
  where: Where,
  { at, request }: { readonly at: CommandContext; readonly request: Request },
): Promise<string> {
  const t = createTranslator(ctx)
  const { conversation, signal, person } = at
  const { which, file, chat, sure } = request
  const busy = t('The agent is working. Stop it with /stop, then roll back.')
  if (conversation.busy) return busy
  const target = await store.find(where, which)
  const back = chat ? findChatPosition(ctx, target, conversation.sessionId) : undefined
  if (chat && back === undefined)
    return t('The turn of this snapshot is not in this conversation, or it was compressed. Roll back without --chat.')
  if (!sure) {
    if (!person.isReachable)
      return t('This changes files. Add --yes to do it: /rollback {args} --yes', { args: formatArguments(request) })
    const question = file
      ? t('Restore {file}?', { file })
      : t('Restore all files of {root}? The current files are kept for /rollback undo.', {
          root: target.root,
        })
    if (!(await person.confirm(question, { signal }))) return t('Nothing was changed.')
    if (conversation.busy) return busy
  }
  await checkRewind(ctx, conversation, { chat })
  const done = await store.restore(where, target.id, file || undefined)
  const said = await doneText(ctx, done)
  if (back === undefined) return said
  const taken = back()
  conversation.touched()
  return `${said}\n\n${t('{count, plural, one {# message was} other {# messages were}} taken back; /redo brings them back.', { count: taken })}`
}

/** Files are not restored either when the messages may not be taken back. */
async function checkRewind(ctx: Context, conversation: Conversation, { chat }: Pick<Request, 'chat'>): Promise<void> {
  const { sessionId } = conversation
  if (chat) await checkConversationChange(ctx, { reason: 'rewind', sessionId, conversation })
}

async function doneText(ctx: Context, done: Awaited<ReturnType<CheckpointStore['restore']>>): Promise<string> {
  const t = createTranslator(ctx)
  const { namesText } = await import('./text.ts')
  const { restored, removed, leftAlone } = done
  if (restored.length + removed.length + leftAlone.length === 0) return t('The files are as they were already.')
  const parts = [
    ...(restored.length > 0 ? [t('Restored: {names}.', { names: namesText(restored) })] : []),
    ...(removed.length > 0 ? [t('Removed: {names}.', { names: namesText(removed) })] : []),
    ...leftAlone
      .slice(0, 5)
      .map(({ path, why }) => t('Skipped: {path} ({why}).', { path: safeLine(path), why: safeLine(why) })),
    ...(leftAlone.length > 5 ? [t('{count} more were skipped.', { count: leftAlone.length - 5 })] : []),
    t('/rollback undo takes it back.'),
  ]
  return parts.join('\n\n')
}

const formatArguments = ({ which, file, chat }: Request) => [which, file, chat ? CHAT : ''].filter(Boolean).join(' ')

async function complete(store: CheckpointStore, where: Where, args: string, now: number): Promise<Completion[]> {
  const [, before = '', word = ''] = /^(.*\s)?(\S*)$/s.exec(args) ?? []
  if (before.trim() !== '' && before.trim() !== 'diff') return []
  const verbs = before.trim() === '' ? ['diff', 'undo'] : []
  const { ageText } = await import('./text.ts')
  const numbers = (await store.brief(where)).map((snapshot, index) => ({
    text: String(index + 1),
    detail: `${ageText(snapshot.at, now)}, ${safeLine(snapshot.reason)}`,
  }))
  return [...numbers, ...verbs.map((text) => ({ text }))]
    .filter(({ text }) => text.startsWith(word))
    .map((found) => ({ ...found, from: args.length - word.length }))
}

/** Takes the conversation back to before that turn, and returns how many messages that took; undefined when it cannot be. */
function findChatPosition(ctx: Context, { sessionId, turnId }: Snapshot, current: string): (() => number) | undefined {
  const sessions = ctx.find(Sessions)
  if (!sessions || sessionId !== current || turnId === undefined) return undefined
  const from = findTurnPosition(sessions.export(current), turnId)
  return from === undefined ? undefined : () => sessions.open(current).rewind(from).length
}

/** The place in `Session.messages()` of the first message of a turn; undefined when it is not read any more. */
export function findTurnPosition({ messages, edits = [] }: SessionArchive, turnId: string): number | undefined {
  const first = messages.findIndex((message) => message.turnId === turnId)
  const isEdited = (at: number) => edits.some((edit) => edit.first <= at && at <= edit.last)
  if (first === -1 || isEdited(first)) return undefined
  const inForce = edits.filter(
    (edit, at) => !edits.slice(at + 1).some((later) => later.first <= edit.first && edit.last <= later.last),
  )
  const summaries = inForce.filter(({ last }) => last < first).flatMap((edit) => edit.messages)
  return summaries.length + messages.slice(0, first).filter((_, at) => !isEdited(at)).length
}
