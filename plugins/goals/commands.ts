/** `/goal` and `/subgoal`. */
import type { Conversation, SlashCommand, Translate } from 'svc/sdk'
import { type Goal, goalText } from './goal.ts'
import type { GoalLoop } from './loop.ts'
import type { GoalStore } from './store.ts'

interface Parts {
  readonly store: GoalStore
  readonly loop: GoalLoop
  readonly t: Translate
}

export function goalCommands(parts: Parts): SlashCommand[] {
  const { t } = parts
  return [
    {
      name: 'goal',
      description: 'Work until a goal is reached, judged after each turn',
      category: 'Session',
      argsHint: '[goal | draft <goal> | show | pause | resume | clear | wait <seconds> | wait pid <number>]',
      subcommands: ['draft', 'show', 'pause', 'resume', 'clear', 'wait', 'unwait', 'status'],
      async run(args, { conversation, signal }) {
        const [, wish] = /^draft\s+(\S.*)$/is.exec(args) ?? []
        return wish === undefined ? goal(parts, conversation, args) : draft(parts, conversation, wish, signal)
      },
    },
    {
      name: 'subgoal',
      description: 'Add a subgoal',
      category: 'Session',
      argsHint: '[text | remove <number> | clear]',
      subcommands: ['remove', 'clear'],
      async run(args, { conversation }) {
        const goal = parts.store.get(conversation.sessionId)
        if (!goal) return t('There is no goal. Set one: /goal <what is to be reached>')
        return subgoal(parts, conversation.sessionId, goal, args)
      },
    },
  ]
}

function goal({ store, loop, t }: Parts, conversation: Conversation, args: string): string | undefined {
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
  if (!known) return t('There is no goal. Set one: /goal <what is to be reached>')
  if (verb === '' || verb === 'status') return line(known, t)
  if (verb === 'show') return `${line(known, t)}\n\n${goalText(known)}`
  if (verb === 'pause') {
    loop.pause(sessionId, known, 'you paused it')
    return t('Paused. /goal resume continues.')
  }
  if (verb === 'resume') {
    loop.resume(sessionId, known)
    return t('Resumed working on the goal.')
  }
  if (verb === 'wait') return wait(loop, sessionId, rest, t)
  if (verb === 'unwait') {
    if (loop.stopWaiting(sessionId)) loop.goOn(sessionId)
    return undefined
  }
  loop.stopWaiting(sessionId)
  store.remove(sessionId)
  return t('The goal is forgotten.')
}

/** The goal with the conditions that a model wrote down for it; as it was typed when none could. */
async function draft(
  { loop, t }: Parts,
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

function wait(loop: GoalLoop, sessionId: string, seconds: string, t: Translate): string {
  const [, pid] = /^pid\s+(\d{1,10})$/i.exec(seconds) ?? []
  if (pid !== undefined)
    return loop.waitForProcess(sessionId, Number(pid))
      ? t('The next turn begins when process {pid} has ended; /goal unwait begins it now.', { pid })
      : t('There is no process {pid}.', { pid })
  if (!/^[1-9]\d{0,5}$/.test(seconds)) return t('Type how many seconds: /goal wait 60')
  loop.wait(sessionId, Number(seconds))
  return t('The next turn begins in {seconds} s; /goal unwait begins it now.', { seconds })
}

function line({ text, status, turns, maxTurns, reason }: Goal, t: Translate): string {
  const names = { active: t('active'), paused: t('paused'), done: t('reached') }
  return `**${names[status]}**, ${turns}/${maxTurns}: ${text.replace(/\s+/g, ' ')}${reason ? ` (${reason})` : ''}`
}

function subgoal({ store, t }: Parts, sessionId: string, goal: Goal, args: string): string {
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
  return t('Added: it counts from the next judgement on.')
}
