/** The section `agent` of `svc setup`. */
import type { SetupSection } from 'svc/sdk/operations'

const DEFAULT = ''
const LEVELS = ['none', 'low', 'medium', 'high', 'xhigh']

export const agentSection: SetupSection = {
  ...{ name: 'agent', title: 'Agent', order: 40 },
  description: 'How long and how hard it works on a question.',
  questions: async () => [
    {
      ...{ key: 'max_iterations', title: 'Model calls in one turn, at most', kind: 'text', isOptional: true },
      path: 'agent.max_iterations',
      help: 'Empty: the default of svc.',
    },
    {
      ...{ key: 'reasoning_effort', title: 'Reasoning effort', kind: 'choice', isOptional: true },
      path: 'agent.reasoning_effort',
      options: [
        ...LEVELS.map((value) => ({ value, title: value })),
        { value: DEFAULT, title: 'default', note: 'that of the model' },
      ],
    },
  ],
}
