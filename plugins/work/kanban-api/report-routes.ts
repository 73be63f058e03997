/** What a task came to, as a text; and what a page that shows a board begins with. */
import type { TaskDetails } from 'svc/sdk/kanban'
import type { ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { type Context, defineRoute, getId } from './route.ts'

export function reportRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/tasks/:id/report',
      summary: 'What a task came to, in Markdown: result, evidence, runs and the tasks that it was taken apart into',
      response: z.object({ report: z.string() }),
      handle: async (boards, request) => ({ report: writeReport(await boards.details(getId(request))) }),
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/config',
      summary: 'How pages show a board',
      response: z.object({
        default_tenant: z.string(),
        lane_by_profile: z.boolean(),
        include_archived_by_default: z.boolean(),
        render_markdown: z.boolean(),
      }),
      handle: async () => ({
        ...{ default_tenant: '', lane_by_profile: true, include_archived_by_default: false, render_markdown: true },
      }),
    }),
  ]
}

function writeReport({ task, parents, children, runs, comments, attachments }: TaskDetails): string {
  const { status, assignee, summary, result, isVerified, evidence, spentUsd, unpricedRuns } = task
  const proof = isVerified === undefined ? '' : isVerified ? ', verified' : ', not verified'
  const cost = `$${spentUsd.toFixed(4)}${unpricedRuns > 0 ? ` and ${unpricedRuns} runs of unknown cost` : ''}`
  return [
    `# ${oneLine(task.title)} (${task.id})`,
    `Status: ${status}${proof}  \nAssignee: ${assignee ?? 'none'}  \nCost: ${cost}`,
    summary ?? '',
    section('Result', result === undefined ? [] : [result]),
    section(
      'Evidence',
      evidence.map(
        ({ check, isMet, detail }) => `- ${isMet ? 'met' : 'not met'}: check ${check + 1}: ${oneLine(detail)}`,
      ),
    ),
    section('Waited for', parents.map(writeLine)),
    section('Parts and what follows', children.map(writeLine)),
    section(
      'Runs',
      runs.map((run) => `- run ${run.id}: ${run.outcome ?? 'running'}${addText(run.error ?? run.summary)}`),
    ),
    section(
      'Comments',
      comments.map(({ author, body }) => `- ${oneLine(author)}: ${oneLine(body)}`),
    ),
    section(
      'Files',
      attachments.map(({ name, size }) => `- ${oneLine(name)} (${size} bytes)`),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`
}

function writeLine({ id, title, status, summary }: TaskDetails['children'][number]): string {
  return `- ${oneLine(title)} (${id}): ${status}${addText(summary)}`
}

const addText = (text: string | undefined): string => (text ? `: ${oneLine(text)}` : '')

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
