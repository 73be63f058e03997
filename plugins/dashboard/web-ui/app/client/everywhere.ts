/** What the palette finds besides pages and chats: skills, jobs and settings, read once; tasks, which the server searches. */
import { t } from './language.ts'
import { api } from './typed.ts'

export interface Found {
  readonly id: string
  readonly group: string
  readonly label: string
  readonly detail?: string
  readonly path: string
}

const MAX_TASKS = 50

const sources: readonly ((signal: AbortSignal) => Promise<readonly Found[]>)[] = [
  async (signal) =>
    (await api.get('/api/skills', {}, signal)).skills.map(({ name, description }) => ({
      ...{ id: `skill-${name}`, group: t('Skill'), label: name, detail: description },
      path: `/skills?q=${encodeURIComponent(name)}`,
    })),
  async (signal) =>
    (await api.get('/api/cron/jobs', {}, signal)).jobs.map(({ id, name, schedule }) => ({
      ...{ id: `job-${id}`, group: t('Job'), label: name, detail: schedule.display, path: '/cron' },
    })),
  async (signal) =>
    (await api.get('/api/config/schema', {}, signal)).fields.map(({ path, description }) => ({
      ...{ id: `setting-${path}`, group: t('Setting'), label: path, detail: description },
      path: `/config?q=${encodeURIComponent(path)}`,
    })),
]

/** Tasks that have the longest of the words: a board may have thousands. */
export async function findTasks(words: readonly string[], signal: AbortSignal): Promise<readonly Found[]> {
  const text = words.toSorted((one, two) => two.length - one.length)[0]
  const { tasks } = await api.get('/api/plugins/kanban/tasks', { text, limit: MAX_TASKS }, signal)
  return tasks.map(({ id, title }) => ({ id: `task-${id}`, group: t('Task'), label: title, path: `/board/${id}` }))
}

/** A part that cannot be read is left out: what is switched off has no routes. */
export async function readLists(signal: AbortSignal): Promise<readonly Found[]> {
  const parts = await Promise.allSettled(sources.map((read) => read(signal)))
  return parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
}
