/** `/goal` and `/subgoal`. */
import type { Conversation, SlashCommand, Translate } from 'svc/sdk'
import { type Goal, goalText } from './goal.ts'
import type { GoalLoop } from './goal-loop.ts'
import type { WaitState, WaitTarget } from './goal-waits.ts'
import type { GoalStore } from './store.ts'

interface Deps {
  readonly store: GoalStore
  readonly loop: GoalLoop
  readonly t: Translate
}

export function goalCommands(deps: Deps): SlashCommand[] {
  const { t } = deps
  return [
    {
      name: 'goal',
      description: 'Work until a goal is reached, judged after each turn',
      category: 'Session',
      argsHint: '[goal | draft <goal> | show | pause | resume | clear | wait <pid | time> [reason] | unwait]',
      subcommands: ['draft', 'show', 'pause', 'resume', 'clear', 'wait', 'unwait', 'status'],
      async run(args, { conversation, signal }) {
        const [, wish] = /^draft\s+(\S.*)$/is.exec(args) ?? []
        return wish === undefined ? goal(deps, conversation, args) : draft(deps, conversation, wish, signal)
      },
    },
    {
      name: 'subgoal',
      description: 'Add a subgoal',
      category: 'Session',
      argsHint: '[text | remove <number> | clear]',
      subcommands: ['remove', 'clear'],
      async run(args, { conversation }) {
        const goal = deps.store.get(conversation.sessionId)
        if (!goal) return t('There is no goal. Set one: /goal <goal>')
        return subgoal(deps, conversation.sessionId, goal, args)
      },
    },
  ]
}

function goal(
  { store, loop, t }: Deps,
  conversation: Conversation,
  args: string,
): string | undefined | Promise<string> {
  const { sessionId } = conversation
  const known = store.get(sessionId)
  const [word = '', rest = ''] = args.split(/\s+(.*)/s)
  const verb = word.toLowerCase()
  const isVerb = ['', 'status', 'show', 'pause', 'resume', 'clear', 'stop', 'done', 'wait', 'unwait'].includes(verb)
  if (!isVerb || (rest && verb !== 'wait')) {
    loop.stopWaiting(sessionId)
    loop.begin(sessionId, args)
    return t('The goal is set. It is judged after each turn; /goal pause stops that.')
  }
  if (!known) return t('There is no goal. Set one: /goal <goal>')
  if (verb === '' || verb === 'status') return line(known, loop.waiting(sessionId), t)
  if (verb === 'show') return `${line(known, loop.waiting(sessionId), t)}\n\n${goalText(known)}`
  if (verb === 'pause') {
    loop.pause(sessionId, known, 'you paused it')
    return t('Paused. /goal resume continues.')
  }
  if (verb === 'resume') {
    loop.resume(sessionId, known)
    return t('Resumed working on the goal.')
  }
  if (verb === 'wait' && known.status !== 'active') return line(known, undefined, t)
  if (verb === 'wait') return wait(loop, sessionId, rest, t)
  if (verb === 'unwait') {
    if (loop.stopWaiting(sessionId)) loop.goOn(sessionId)
    return undefined
  }
  loop.stopWaiting(sessionId)
  store.remove(sessionId)
  return t('The goal was removed.')
}

/** The goal with the conditions that a model wrote down for it; as it was typed when none could. */
async function draft(
  { loop, t }: Deps,
  { sessionId }: Conversation,
  wish: string,
  signal: AbortSignal,
): Promise<string> {
  const drafted = await loop.draft(sessionId, wish, signal)
  loop.stopWaiting(sessionId)
  const goal = loop.begin(sessionId, drafted ?? wish)
  const first =
    drafted === undefined
      ? t('No model could draft the conditions; the goal is set as you typed it.')
      : t('The goal is set.')
  return `${first}\n\n${goalText(goal)}`
}

const MAX_WAIT_S = 1_000_000

async function wait(loop: GoalLoop, sessionId: string, args: string, t: Translate): Promise<string> {
  // `wait pid 4711` is how it was written before.
  const [, word = '', reason] = /^(?:pid\s+)?(\S+)(?:\s+(\S.*))?$/is.exec(args) ?? []
  const target = readTarget(word)
  const usage = t('Type what to wait for: /goal wait 4711 for a process, /goal wait 5m for a time.')
  if (target === undefined) return usage
  if (!(await loop.wait(sessionId, { target, reason })))
    return `${t('There is no process {pid}.', { pid: word })} ${usage}`
  return 'seconds' in target
    ? t('The next turn begins in {seconds} s; /goal unwait begins it now.', { seconds: target.seconds })
    : t('The next turn begins when process {pid} has ended; /goal unwait begins it now.', { pid: word })
}

/** `4711`, `proc_0123456789ab`, or a time with units such as `90s`, `5m`, `1h30m`. */
function readTarget(word: string): WaitTarget | undefined {
  if (/^[1-9]\d{0,9}$/.test(word)) return { pid: Number(word) }
  if (/^proc_[0-9a-f]{12}$/.test(word)) return { processId: word }
  const [whole, hours = 0, minutes = 0, rest = 0] = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/i.exec(word) ?? []
  const seconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
  return whole && seconds > 0 && seconds <= MAX_WAIT_S ? { seconds } : undefined
}

function line({ text, status, turns, maxTurns, reason }: Goal, waiting: WaitState | undefined, t: Translate): string {
  const names = { active: t('active'), paused: t('paused'), done: t('reached') }
  const first = `**${names[status]}**, ${turns}/${maxTurns}: ${text.replace(/\s+/g, ' ')}${reason ? ` (${reason})` : ''}`
  if (!waiting) return first
  const { target } = waiting
  const pid = 'pid' in target ? target.pid : 'processId' in target ? target.processId : ''
  const what =
    'seconds' in target
      ? t('It waits {seconds} s.', { seconds: target.seconds })
      : t('It waits for process {pid}.', { pid })
  return `${first}\n${what}${waiting.reason && waiting.reason !== reason ? ` ${waiting.reason}` : ''}`
}

function subgoal({ store, t }: Deps, sessionId: string, goal: Goal, args: string): string {
  const keep = (subgoals: readonly string[]) => store.set(sessionId, { ...goal, subgoals })
  if (!args) return goal.subgoals.map((each, at) => `${at + 1}. ${each}`).join('\n') || t('There are no subgoals.')
  const [, number] = /^remove\s+(\d+)$/i.exec(args) ?? []
  if (number !== undefined) {
    if (!goal.subgoals[Number(number) - 1]) return t('There is no subgoal {number}.', { number })
    keep(goal.subgoals.filter((_, at) => at !== Number(number) - 1))
    return t('Removed.')
  }
  if (args.toLowerCase() === 'clear') {
    keep([])
    return t('All subgoals are removed.')
  }
  keep([...goal.subgoals, args])
  return t('Added. It applies from the next evaluation on.')
}
