/** The list of skills in the system prompt: names, and as much of the descriptions as there is room for. */
import { safeLine } from 'svc/sdk/kit/terminal'
import type { Skill } from 'svc/sdk/skills'

const INTRODUCTION =
  'Skills are instructions for kinds of work. When one fits the task, read it with skill_view before you begin.'
/** Characters of a description that are tried, one after the other. */
const LENGTHS = [1024, 240, 160, 120, 80, 50, 0]

/** Within `maxBytes` whatever there is; undefined without skills. The same skills give the same bytes. */
export function formatIndex(
  skills: readonly Pick<Skill, 'name' | 'description'>[],
  maxBytes: number,
): string | undefined {
  if (skills.length === 0) return undefined
  for (const length of LENGTHS) {
    const text = [INTRODUCTION, ...skills.map((skill) => formatLine(skill, length))].join('\n')
    if (Buffer.byteLength(text) <= maxBytes) return text
  }
  return formatNames(skills, maxBytes)
}

function formatLine({ name, description }: Pick<Skill, 'name' | 'description'>, length: number): string {
  return length === 0 ? `- ${name}` : `- ${name}: ${shorten(safeLine(description), length)}`
}

/** The first sentences that fit, else whole words. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const sentence = /^[\s\S]*[.!?](?=\s)/.exec(cut)?.[0]
  if (sentence !== undefined && sentence.length >= length / 3) return sentence
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), length / 2)).trimEnd()}…`
}

/** As many names as fit, and how many there are besides. */
function formatNames(skills: readonly Pick<Skill, 'name'>[], maxBytes: number): string {
  const rest = (count: number) => `- and ${count} more: see skills_list`
  const lines = [INTRODUCTION]
  let room = maxBytes - Buffer.byteLength(INTRODUCTION) - Buffer.byteLength(rest(skills.length)) - 1
  for (const { name } of skills) {
    room -= name.length + 3
    if (room < 0) break
    lines.push(`- ${name}`)
  }
  const hidden = skills.length - (lines.length - 1)
  return [...lines, ...(hidden > 0 ? [rest(hidden)] : [])].join('\n')
}
