/** The names of the columns. */
import { msg, t } from '../client/language.ts'

const titles: Readonly<Record<string, string>> = {
  triage: msg('Triage'),
  todo: msg('To do'),
  scheduled: msg('Scheduled'),
  ready: msg('Ready'),
  running: msg('Running'),
  blocked: msg('Blocked'),
  done: msg('Done'),
  archived: msg('Archived'),
}

export function columnTitle(name: string): string {
  return t(titles[name] ?? name)
}
