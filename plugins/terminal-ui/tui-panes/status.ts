/** Items of the status bar: the git branch, and what runs in the background. */
import { Clock, type Conversation, createTranslator, errorMessage, type PluginContext } from 'svc/sdk'
import { BackgroundProcesses } from 'svc/sdk/shell'
import { type StatusItem, type StyledLine, TextLayout } from 'svc/sdk/terminal'
import { gitHead } from './git-head.ts'
import { toPlainLine } from './text.ts'

const BRANCH_MS = 3000
const PROCESSES_MS = 2000

/** Looked up again after some seconds, or when the folder is another one. */
export function branchItem(ctx: PluginContext<undefined>): StatusItem {
  let known: { readonly cwd: string; readonly until: number; readonly branch: string | undefined } | undefined
  return {
    name: 'branch',
    order: 60,
    line({ cwd }: Conversation): StyledLine | undefined {
      const now = ctx.use(Clock).monotonic()
      if (!known || known.cwd !== cwd || now >= known.until)
        known = { cwd, until: now + BRANCH_MS, branch: gitHead(cwd) }
      const { branch } = known
      return branch === undefined
        ? undefined
        : [{ text: `⎇ ${toPlainLine(ctx.use(TextLayout), branch, 60)}`, role: 'status' }]
    },
  }
}

/** How many run. Asked for the first time when a conversation has been there for a moment, so no start waits for it. */
export function processesItem(ctx: PluginContext<undefined>): StatusItem {
  let known = { sessionId: '', running: 0, until: 0 }
  const look = async (sessionId: string) => {
    const all = (await ctx.find(BackgroundProcesses)?.list(sessionId)) ?? []
    const running = all.filter(({ status }) => status === 'running').length
    if (known.sessionId === sessionId) known = { ...known, running }
  }
  return {
    name: 'processes',
    order: 40,
    line({ sessionId }: Conversation): StyledLine | undefined {
      const now = ctx.use(Clock).monotonic()
      if (known.sessionId !== sessionId) known = { sessionId, running: 0, until: now + PROCESSES_MS }
      else if (now >= known.until) {
        known = { ...known, until: now + PROCESSES_MS }
        look(sessionId).catch((error: unknown) =>
          ctx.log.warn(`processes cannot be counted: ${errorMessage(error)}`, { error }),
        )
      }
      if (known.running === 0) return undefined
      const t = createTranslator(ctx)
      const text = t('{count, plural, one {# process} other {# processes}}', { count: known.running })
      return [{ text, role: 'status-good' }]
    },
  }
}
