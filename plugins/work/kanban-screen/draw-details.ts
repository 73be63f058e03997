/** A task with what goes with it: checks and evidence, links, runs, comments and events. */
import type { TaskCard, TaskCheck, TaskDetails, TaskRun } from 'svc/sdk/kanban'
import { formatMoment } from 'svc/sdk/kit/terminal'
import type { StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'
import { oneLine } from './draw-board.ts'

const MAX_EVENTS = 20

export function drawDetails(layout: TextLayout, details: TaskDetails, width: number): readonly StyledLine[] {
  const { task, parents, children, runs, comments, events, attachments } = details
  const section = (title: string, lines: readonly StyledLine[]): readonly StyledLine[] =>
    lines.length === 0 ? [] : [[], [{ text: title, role: 'heading', bold: true }], ...lines]
  const plain = (text: string, role?: StyledSpan['role']): StyledLine => [
    { text: oneLine(layout, text), ...(role && { role }) },
  ]
  const card = ({ id, status, title }: TaskCard) => plain(`${id} ${status}: ${title}`)
  const all: readonly StyledLine[] = [
    [{ text: oneLine(layout, task.title), role: 'heading', bold: true }],
    plain(`${task.id} · ${task.status} · ${task.assignee ?? 'unassigned'} · by ${task.createdBy}`, 'dim'),
    ...(task.blockReason === undefined ? [] : [plain(`Blocked: ${task.blockReason}`, 'error')]),
    ...(task.lastError === undefined ? [] : [plain(`Failed ${task.failures}x: ${task.lastError}`, 'error')]),
    ...(task.body === '' ? [] : [[], [{ text: layout.clean(task.body) }]]),
    ...section('Result', task.result === undefined ? [] : [[{ text: layout.clean(task.result) }]]),
    ...section(
      'Checks',
      task.checks.map((check, at) =>
        drawCheck(
          layout,
          check,
          task.evidence.find((one) => one.check === at),
        ),
      ),
    ),
    ...(task.isVerified === false ? [plain('It was completed without evidence.', 'warning')] : []),
    ...section('Waits for', parents.map(card)),
    ...section('Before', children.map(card)),
    ...section(
      'Runs',
      runs.toReversed().map((run) => drawRun(layout, run)),
    ),
    ...section(
      'Files',
      attachments.map(({ name, size }) => plain(`${name} (${size} bytes)`)),
    ),
    ...section(
      'Comments',
      comments.map(({ author, at, body }) => plain(`${formatMoment(at)} ${author}: ${body}`)),
    ),
    ...section(
      'Events',
      events.slice(-MAX_EVENTS).map(({ at, kind }) => plain(`${formatMoment(at)} ${kind}`, 'dim')),
    ),
  ]
  return all.flatMap((line) => (line.length === 0 ? [line] : layout.wrap(line, width)))
}

function drawCheck(
  layout: TextLayout,
  { type, ...what }: TaskCheck,
  evidence: TaskDetails['task']['evidence'][number] | undefined,
): StyledLine {
  const text = oneLine(layout, `${type} ${String(Object.values(what)[0])}`)
  if (!evidence) return [{ text: `? ${text}: not looked at yet`, role: 'dim' }]
  if (evidence.isMet) return [{ text: `✓ ${text}`, role: 'ok' }]
  return [{ text: `✗ ${text}: ${oneLine(layout, evidence.detail)}`, role: 'error' }]
}

function drawRun(layout: TextLayout, { id, outcome, assignee, startedAt, endedAt, cost, error }: TaskRun): StyledLine {
  const seconds = endedAt === undefined ? '' : ` ${Math.round((endedAt - startedAt) / 1000)}s`
  const facts = `${id} ${formatMoment(startedAt)} ${outcome ?? 'open'}${seconds} ${assignee ?? ''} $${cost.usd.toFixed(4)}`
  return [
    { text: facts, role: outcome === undefined ? 'accent' : outcome === 'completed' ? 'ok' : 'text' },
    ...(error === undefined ? [] : [{ text: ` ${oneLine(layout, error)}`, role: 'error' } as const]),
  ]
}
