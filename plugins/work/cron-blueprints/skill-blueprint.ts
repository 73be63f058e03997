/** A blueprint that a skill brings: `metadata.svc.blueprint` of its SKILL.md. */
import { SvcError } from 'svc/sdk'
import { findThreat } from 'svc/sdk/kit/text'
import type { Skill } from 'svc/sdk/skills'
import { z } from 'zod'
import { type Blueprint, deliverField } from './blueprint.ts'

const line = (max: number) => z.string().trim().min(1).max(max)

/** Entries that are not listed are for later versions. */
const schema = z.looseObject({
  schedule: line(200),
  prompt: z.string().trim().min(1).max(5000).optional(),
  title: line(80).optional(),
  deliver: z.union([line(500), z.array(line(200)).min(1).max(20)]).optional(),
  script: line(200).optional(),
  no_agent: z.boolean().default(false),
})

/** Undefined for a skill without one. Throws `BLUEPRINT_INVALID`. */
export function readSkillBlueprint({ name, description, category, tags, metadata }: Skill): Blueprint | undefined {
  const entry = metadata?.['blueprint']
  if (entry === undefined) return undefined
  const read = schema.safeParse(entry)
  if (!read.success) {
    const [issue] = read.error.issues
    throw invalid(`${['blueprint', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'is wrong'}`)
  }
  const { schedule, prompt = `Follow the skill ${name}.`, title, deliver = 'origin', script, no_agent } = read.data
  if (no_agent && script === undefined) throw invalid('blueprint.no_agent needs blueprint.script')
  const threat = findThreat(prompt)
  if (threat !== undefined) throw invalid(`blueprint.prompt cannot be used: ${threat}`)
  return {
    key: name,
    title: title ?? name,
    description,
    category: category ?? 'Skills',
    tags,
    fields: [
      {
        ...{ name: 'schedule', type: 'text', label: 'When', default: schedule },
        help: 'Such as every 2h, or 0 9 * * mon-fri',
      },
      deliverField(typeof deliver === 'string' ? deliver : deliver.join(',')),
    ],
    schedule: '{schedule}',
    prompt: [prompt],
    skill: name,
    settings: {
      skills: [name],
      ...(script !== undefined && { script }),
      isScriptOnly: no_agent,
    },
  }
}

function invalid(reason: string): SvcError {
  return new SvcError('BLUEPRINT_INVALID', reason)
}
