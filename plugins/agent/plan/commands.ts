/** `/plan`: the next turn only looks, and its answer is a plan. */
import type { SlashCommand, Translate } from 'svc/sdk'
import { createPlanCommand, type Planning } from './plan-mode.ts'

const ORDER = [
  'Make a plan for the task. Look at whatever you need, but change nothing: no edits, no commands that write.',
  'Answer with the plan alone, in Markdown: the goal in one sentence, what you found, numbered steps with the files they touch, how each step is checked, and open questions.',
].join('\n')

export function planCommand(planning: Planning, t: Translate): SlashCommand {
  return {
    name: 'plan',
    description: 'Write a plan to a file without changing anything else',
    category: 'Session',
    argsHint: '<task>',
    needsIdle: true,
    async run(task, { conversation, by }) {
      if (!task) return t('Enter a task: /plan <task>.')
      planning.begin(conversation.sessionId, task)
      // Front ends show what the user typed; the block behind it is for the model.
      conversation.send(
        `${createPlanCommand(task)}\n\n<data source="/plan" note="what this command asks of you">\n${ORDER}\n</data>`,
        { source: 'person', ...(by && { by }) },
      )
      return undefined
    },
  }
}
