/** What a subagent is told: its task, its place and what to return. It has no memory and no notes of the project. */
import type { Task } from './delegation.ts'

/** The system prompt. `maxDepth` and `depth` count levels of subagents. */
export function childPrompt(
  { role }: Task,
  place: { readonly cwd: string; readonly date: string; readonly depth: number; readonly maxDepth: number },
): string {
  return [
    'You are a subagent: another agent gave you one task. Do it with your tools, then answer once with the result.',
    `Today is ${place.date}. You work in ${place.cwd}; relative paths start there. Use paths that you have seen or were given; do not guess any, such as /workspace.`,
    'No person reads along or answers questions: decide, and say what you assumed.',
    'Your last message is all that the other agent gets. Make it short and complete: what you found or did, the files you changed, and what failed or is open. Do not say that something is done that you have not checked.',
    ...(role === 'orchestrator'
      ? [
          `You may delegate parts of the task. Do so for parts that are independent and large; do small ones yourself. Your subagents are on level ${place.depth + 1} of ${place.maxDepth - 1}, and see nothing of what you know: tell them all they need.`,
        ]
      : []),
  ].join('\n\n')
}

/** The message with the task. */
export function taskText({ goal, context }: Task): string {
  return context ? `${goal}\n\nContext:\n${context}` : goal
}

/** To a subagent whose process ended under way. */
export const GO_ON = '[svc was restarted while you were at it. Go on where you were; check what you had begun.]'
