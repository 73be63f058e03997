/** `/skills pending`, `/skills approve` and `/skills reject`: changes of the agent that wait for a person. */
import { type CommandContext, SvcError, type Translate } from 'svc/sdk'
import { fenced } from 'svc/sdk/kit/views'
import type { ManageDeps } from '../manage.ts'
import { approveWrite, rejectWrite } from './decide.ts'
import type { StagedWrite } from './store.ts'

export type StagedWord = 'pending' | 'approve' | 'reject'

/** The reply, as Markdown. */
export async function decideInChat(
  deps: ManageDeps,
  word: StagedWord,
  id: string,
  at: CommandContext,
  t: Translate,
): Promise<string> {
  if (word === 'pending') return showPending(deps, id, t)
  // What the agent may learn is for its owner to say, not for the people of a group.
  if (at.by && (at.by.chatKind ?? 'dm') !== 'dm')
    return t('This is decided in a direct chat with the agent, or in its terminal.')
  if (id === '') return t('Name a change, or all: /skills {word} ID. /skills pending lists them.', { word })
  const { writes } = await deps.staged.list()
  const chosen = id === 'all' ? writes.map((each) => each.id) : [id]
  if (chosen.length === 0) return t('No change of the agent waits.')
  if (id === 'all' && (await at.person.confirm(formatAll(word, writes, t))) !== true) return t('Nothing was decided.')
  const lines: string[] = []
  for (const each of chosen) lines.push(await decideOne(deps, word, each, at.signal))
  return lines.join('\n')
}

function formatAll(word: StagedWord, writes: readonly StagedWrite[], t: Translate): string {
  const question =
    word === 'approve'
      ? t('Make all {count} changes?', { count: writes.length })
      : t('Drop all {count} changes?', { count: writes.length })
  return [question, ...writes.map(formatLine)].join('\n')
}

async function decideOne(deps: ManageDeps, word: StagedWord, id: string, signal: AbortSignal): Promise<string> {
  try {
    const { done } = word === 'approve' ? await approveWrite(deps, id, signal) : await rejectWrite(deps, id)
    return `- \`${id}\` ${done}`
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    deps.log.info('a change of a skill was not made', { id, error })
    return `- \`${id}\` ${error.message}`
  }
}

async function showPending({ staged }: ManageDeps, id: string, t: Translate): Promise<string> {
  if (id !== '') return formatWrite(await staged.find(id), t)
  const { writes, problems } = await staged.list()
  const broken = problems.map((file) => t('Cannot be read: {file}', { file }))
  if (writes.length === 0) return [t('No change of the agent waits.'), ...broken].join('\n')
  const hint = t('/skills pending ID shows one, /skills approve ID makes it, /skills reject ID drops it.')
  return [...writes.map(formatLine), ...broken, '', hint].join('\n')
}

function formatLine({ id, what, input }: StagedWrite): string {
  return `- \`${id}\` ${what} (${input.reason})`
}

function formatWrite(write: StagedWrite, t: Translate): string {
  const { diff, findings, origins } = write
  return [
    formatLine(write),
    ...(origins.length > 0 ? [t('The agent had read: {origins}.', { origins: origins.join(', ') })] : []),
    ...(findings.length > 0 ? [t('The scan found: {findings}', { findings: findings.join(' ') })] : []),
    diff === '' ? t('Its folder goes to the archive.') : fenced(diff.trimEnd(), 'diff'),
  ].join('\n\n')
}
