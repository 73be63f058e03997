/** What the model reads of a task. Texts of others are cut, so that no comment outgrows the task. */
import type { Task, TaskCard, TaskComment, TaskDetails, TaskRun } from 'svc/sdk/kanban'

const MAX_BODY = 8192
const MAX_FIELD = 4096
const MAX_COMMENT = 2048
const MAX_COMMENTS = 30
const MAX_RUNS = 10

/** The first message of a worker. `isContinued`: an earlier worker at it had this very conversation. */
export function workText(details: TaskDetails, { isContinued }: { readonly isContinued: boolean }): string {
  const { task } = details
  const opening = isContinued
    ? `You resume kanban task ${task.id}. An earlier process that worked at it ended before the task was done. What you began before may have happened: look before you repeat anything.`
    : `Work at kanban task ${task.id}.`
  return [opening, HOW, taskText(details)].join('\n\n')
}

const HOW = `When it is done, call kanban_complete with a summary of what you did and how you know that it works. If it cannot be done without a person, call kanban_block with what is missing. One of the two has to be called before you end. If other tasks have to be done first, create them with kanban_create and \`first: true\`, then call kanban_block with kind "dependency": you are asked again when they are done. If tasks that this one waited for were done, judge whether their results reach the goal before you complete it.`

/** All that is known about a task. */
export function taskText(details: TaskDetails): string {
  const { task, parents, children, comments, runs, attachments } = details
  const sections = [
    `# ${task.title}`,
    head(task),
    cut(task.body, MAX_BODY),
    list('Checks that decide whether it is done, looked at after you end', task.checks.map(checkText)),
    list(
      'What the checks found last time',
      task.evidence.map(({ isMet, detail }) => `${isMet ? 'met' : 'not met'}: ${detail}`),
    ),
    list(
      'Attachments',
      attachments.map(({ name, size }) => `${name} (${size} bytes)`),
    ),
    list(
      'Earlier attempts',
      runs
        .filter(({ endedAt }) => endedAt !== undefined)
        .slice(0, MAX_RUNS)
        .map(runText),
    ),
    list('Tasks that it waited for, with their results', parents.map(relativeText)),
    list('Tasks that wait for it', children.map(relativeText)),
    list('Comments', comments.slice(-MAX_COMMENTS).map(commentText)),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

/** One line of a list of tasks. */
export function cardText({ id, status, assignee, title, isVerified, summary }: TaskCard): string {
  const who = assignee === undefined ? '' : `, ${assignee}`
  const proof = status === 'done' && isVerified === false ? ', not verified' : ''
  return `${id} [${status}${who}${proof}] ${title}${summary === undefined ? '' : `: ${cut(summary, 400)}`}`
}

function head({ status, assignee, priority, tenant, blockReason }: Task): string {
  const facts = [
    `status ${status}`,
    ...(assignee === undefined ? [] : [`assignee ${assignee}`]),
    ...(priority === 0 ? [] : [`priority ${priority}`]),
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
    ...(blockReason === undefined ? [] : [`blocked: ${cut(blockReason, 400)}`]),
  ]
  return facts.join(', ')
}

function checkText(check: Task['checks'][number]): string {
  if (check.type === 'command') return `the command ${JSON.stringify(check.command)} ends with ${check.exitCode ?? 0}`
  if (check.type === 'hash') return `${check.path} has the SHA-256 ${check.sha256}`
  const holds = check.contains === undefined ? '' : ` with ${JSON.stringify(cut(check.contains, 200))} in it`
  if (check.type === 'file') return `the file ${check.path} is there${holds}`
  return `${check.url} answers ${check.status ?? 200}${holds}`
}

function runText({ outcome, summary, error }: TaskRun): string {
  const what = summary ?? error
  return `${outcome ?? 'ended'}${what === undefined ? '' : `: ${cut(what, MAX_FIELD)}`}`
}

function relativeText(card: TaskCard): string {
  return cardText(card)
}

function commentText({ author, body }: TaskComment): string {
  return `${author}: ${cut(body, MAX_COMMENT)}`
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `## ${title}\n${items.map((item) => `- ${item}`).join('\n')}`
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)} [...]`
}
