/** `/learn`: the model writes down as a skill what a conversation showed. */
import type { SlashCommand } from 'svc/sdk'
import type { Expansions } from './expansions.ts'

const REQUEST = `Write down how this was done, so that it works the next time without me.
Look with skills_list whether a skill covers it already: then mend that one with skill_manage (patch), and create no second one.
Otherwise create one with skill_manage. Its SKILL.md begins with front matter (name, description: what it does and when to use it).
Keep to what was proven in this conversation: steps, commands, pitfalls and how to check the result. No secrets, no names of persons,
nothing that only held today. If there is nothing worth keeping, say so and change nothing.`

export function learnCommand(expansions: Expansions): SlashCommand {
  return {
    name: 'learn',
    description: 'Have the agent write down as a skill what this conversation showed',
    category: 'Tools & Skills',
    argsHint: '[what]',
    run(args, { conversation }) {
      const line = `/learn ${args}`.trim()
      expansions.add(conversation.sessionId, line, args === '' ? REQUEST : `${REQUEST}\n\nWhat it is about: ${args}`)
      conversation.send(line, { source: 'person' })
    },
  }
}
