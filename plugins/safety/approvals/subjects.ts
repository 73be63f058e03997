/** What an answer for longer than once covers. A subject is text; a standing answer holds for all that its subject covers. */
import { resolve } from 'node:path'
import type { ApprovalChoice, DecisionQuestion } from 'svc/sdk'

/** What a person may answer, and what the longer answers would be kept by. */
export interface Offer {
  readonly choices: readonly ApprovalChoice[]
  readonly subjects: readonly string[]
  readonly covers?: string
}

const ALL: readonly ApprovalChoice[] = ['once', 'session', 'project', 'always', 'deny']
const BELOW = /^(danger:[^:]+:)(\/.*)$/s

/** A pattern of commands, below one folder or of one file. */
export function dangerSubject(pattern: string, target: string): string {
  return `danger:${pattern}:${resolve('/', target)}`
}

/** Exactly one command or one call, by the hash of all that it depends on. */
export function exactSubject(hash: string): string {
  return `exactly:${hash}`
}

/** Every call of one tool, as it describes itself. */
export function toolSubject(name: string, description: string): string {
  return `tool:${name}:${description}`
}

/** Whether what was granted covers a subject. */
export function covers(granted: ReadonlySet<string>, subject: string): boolean {
  if (granted.has(subject)) return true
  const [, pattern, path] = BELOW.exec(subject) ?? []
  if (pattern === undefined || path === undefined) return false
  return [...granted].some((each) => {
    const [, of, folder = ''] = BELOW.exec(each) ?? []
    return of === pattern && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
  })
}

/** Without subjects there is nothing that an answer for longer than once could be kept by. */
export function createOffer({ choices = ALL, subjects = [], covers: said }: DecisionQuestion): Offer {
  const isLasting = subjects.length > 0
  const offered = ALL.filter(
    (choice) => choice === 'deny' || (choices.includes(choice) && (isLasting || choice === 'once')),
  )
  if (!offered.some((choice) => choice !== 'once' && choice !== 'deny')) return { choices: offered, subjects: [] }
  return { choices: offered, subjects, covers: said ?? subjects.join(', ') }
}
