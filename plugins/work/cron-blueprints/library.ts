/** All blueprints: those of svc, and those of the skills that are on here. Jobs are made from them. */
import { SvcError } from 'svc/sdk'
import type { CronJobs, NewJob } from 'svc/sdk/jobs'
import type { Skill, Skills } from 'svc/sdk/skills'
import type { Blueprint } from './blueprint.ts'
import { catalogue } from './catalogue.ts'
import { type FilledBlueprint, fillBlueprint, type Values } from './fill.ts'
import { readSkillBlueprint } from './skill-blueprint.ts'

/** Other errors are not about the blueprint. */
const MALFORMED: readonly string[] = ['BLUEPRINT_INVALID', 'BLUEPRINT_VALUE']

export interface BlueprintProblem {
  readonly skill: string
  readonly reason: string
}

export interface BlueprintList {
  readonly blueprints: readonly Blueprint[]
  readonly problems: readonly BlueprintProblem[]
}

export interface LibraryDeps {
  skills(): Promise<Skills | undefined>
  /** Throws `SERVICE_ABSENT`. */
  jobs(): Promise<CronJobs>
  /** Told of each malformed blueprint once. */
  warn(problem: BlueprintProblem): void
}

/** What a blueprint would make. */
export interface Preview extends FilledBlueprint {
  readonly job: NewJob
  /** The schedule, as `CronJobs.describe` says it. */
  readonly display: string
  /** Unix times in milliseconds. */
  readonly next: readonly number[]
}

export class BlueprintLibrary {
  readonly #deps: LibraryDeps
  readonly #warned: Set<string> = new Set()

  constructor(deps: LibraryDeps) {
    this.#deps = deps
  }

  list(): Promise<BlueprintList> {
    return this.#collect(async (blueprint) => void (await this.preview(blueprint, {})))
  }

  /** The same without the scheduler, so that schedules are as their authors wrote them: for a process that is about to end. */
  listUnchecked(): Promise<BlueprintList> {
    return this.#collect(async () => {})
  }

  async #collect(check: (blueprint: Blueprint) => Promise<void>): Promise<BlueprintList> {
    const skills = (await (await this.#deps.skills())?.list()) ?? []
    const blueprints = [...catalogue]
    const problems: BlueprintProblem[] = []
    for (const skill of skills) {
      if (skill.isDisabled || skill.unavailable !== undefined) continue
      try {
        const found = readOther(skill, blueprints)
        if (!found) continue
        await check(found)
        blueprints.push(found)
      } catch (error) {
        if (error instanceof SvcError && MALFORMED.includes(error.code)) {
          problems.push({ skill: skill.name, reason: error.message })
          continue
        }
        throw error
      }
    }
    for (const problem of problems) this.#warn(problem)
    return { blueprints, problems }
  }

  /** Throws `BLUEPRINT_UNKNOWN`. */
  async find(key: string): Promise<Blueprint> {
    const found = (await this.list()).blueprints.find((each) => each.key === key.trim().toLowerCase())
    if (found) return found
    const message = `There is no blueprint "${key.slice(0, 60)}". svc cron blueprints lists them.`
    throw new SvcError('BLUEPRINT_UNKNOWN', message, { status: 404 })
  }

  /** Throws `BLUEPRINT_VALUE`. */
  async preview(blueprint: Blueprint, values: Values): Promise<Preview> {
    const filled = fillBlueprint(blueprint, values)
    const jobs = await this.#deps.jobs()
    const { name, prompt, deliver } = filled
    const schedule = await asValue('schedule', () => jobs.parse(filled.schedule))
    const next = await asValue('schedule', () => jobs.preview(schedule, { count: 3 }))
    return {
      ...filled,
      display: jobs.describe(schedule),
      next,
      job: { ...blueprint.settings, name, prompt, deliver, schedule },
    }
  }

  #warn(problem: BlueprintProblem): void {
    const mark = `${problem.skill}: ${problem.reason}`
    if (this.#warned.has(mark)) return
    this.#warned.add(mark)
    this.#deps.warn(problem)
  }
}

/** Undefined for a skill without one. Throws `BLUEPRINT_INVALID`. */
function readOther(skill: Skill, others: readonly Blueprint[]): Blueprint | undefined {
  const found = readSkillBlueprint(skill)
  if (!found || others.every(({ key }) => key !== found.key)) return found
  throw new SvcError('BLUEPRINT_INVALID', 'svc has a blueprint of this name')
}

/** What the scheduler refuses is a value that cannot be used. */
export async function asValue<T>(param: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SvcError) || !['CRON_SCHEDULE', 'CRON_NEVER', 'CRON_INPUT'].includes(error.code)) throw error
    throw new SvcError('BLUEPRINT_VALUE', error.message, { status: 422, param: error.param ?? param, cause: error })
  }
}
