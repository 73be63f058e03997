/** What a worker is told of its task, within limits. */
import type { TaskDetails } from 'svc/sdk/kanban'

const MAX_BODY = 8192
const MAX_FIELD = 4096
const MAX_COMMENT = 2048
const MAX_COMMENTS = 30
const MAX_RUNS = 10

export function writeContext({ task, parents, comments, runs, attachments }: TaskDetails): string {
  const ended = runs.filter(({ endedAt }) => endedAt !== undefined).slice(-MAX_RUNS)
  return [
    `# ${task.title} (${task.id})`,
    task.body.slice(0, MAX_BODY),
    section(
      'Checks',
      task.checks.map((check) => `- ${JSON.stringify(check)}`),
    ),
    section(
      'Files',
      attachments.map(({ id, name, size }) => `- ${id}: ${name}, ${size} bytes`),
    ),
    section(
      'Earlier attempts',
      ended.map(
        ({ id, outcome, error, summary }) => `- run ${id}: ${outcome}: ${(error ?? summary ?? '').slice(0, MAX_FIELD)}`,
      ),
    ),
    section(
      'What it waited for',
      parents.map(
        ({ id, title, status, summary }) => `- ${id} ${title} (${status}): ${(summary ?? '').slice(0, MAX_FIELD)}`,
      ),
    ),
    section(
      'Comments',
      comments.slice(-MAX_COMMENTS).map(({ author, body }) => `- ${author}: ${body.slice(0, MAX_COMMENT)}`),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`
}
