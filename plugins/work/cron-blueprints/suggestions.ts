/** Suggestions of jobs. Nothing is scheduled, and no model is asked, before a person accepts one. */
import { errorCode, SvcError } from 'svc/sdk'
import type { CronJobs, ScheduledJob } from 'svc/sdk/jobs'
import type { PluginState } from 'svc/sdk/storage'
import type { Blueprint } from './blueprint.ts'
import { STARTERS } from './catalogue.ts'
import { fillBlueprint } from './fill.ts'
import type { BlueprintLibrary } from './library.ts'
import { changeSuggestion, mergeOffers, type Offer, type Suggestion, type SuggestionBook } from './suggestion-book.ts'

export interface SuggestionsDeps {
  readonly state: PluginState<SuggestionBook>
  readonly library: BlueprintLibrary
  jobs(): Promise<CronJobs>
  now(): number
  createKey(): string
  /** Told of an accepted suggestion whose job could not be made yet. */
  onProblem(error: unknown): void
}

export class Suggestions {
  readonly #deps: SuggestionsDeps

  constructor(deps: SuggestionsDeps) {
    this.#deps = deps
  }

  /** The pending ones, after a look at what may be suggested. */
  async list(): Promise<readonly Suggestion[]> {
    const { jobs, library, state } = this.#deps
    const starters = (await (await jobs()).list()).length === 0 ? STARTERS : []
    await this.#offer((await library.list()).blueprints, starters)
    return state.get().suggestions.filter(({ status }) => status === 'pending')
  }

  /** Registers what skills bring, and makes the jobs of acceptances that a crash cut off. */
  async refresh(): Promise<void> {
    await this.#offer((await this.#deps.library.listUnchecked()).blueprints, [])
  }

  /** The job: made once, however often and by how many processes it is accepted. Throws `SUGGESTION_UNKNOWN` and `SUGGESTION_DECIDED`. */
  async accept(id: number, origin?: string): Promise<ScheduledJob> {
    const { state, now } = this.#deps
    let found = this.#find(id)
    // Without the scheduler there is nothing to say yes to.
    await this.#deps.jobs()
    if (found.status === 'pending') {
      // The yes is on disk before anything is made of it: after a crash it is carried out.
      const accept = (each: Suggestion): Suggestion =>
        each.status === 'pending' && each.job
          ? { ...each, status: 'accepted', decidedAt: now(), job: withOrigin(each.job, origin) }
          : each
      const book = await state.update((before) => changeSuggestion(before, id, accept))
      found = book.suggestions.find((each) => each.id === id) ?? found
    }
    if (found.status !== 'accepted') throw decided(found)
    return this.#make(found)
  }

  /** Throws `SUGGESTION_UNKNOWN` and `SUGGESTION_DECIDED`. */
  async dismiss(id: number): Promise<Suggestion> {
    const { state, now } = this.#deps
    this.#find(id)
    const dismiss = (each: Suggestion): Suggestion =>
      each.status === 'pending' ? { ...withoutJob(each), status: 'dismissed', decidedAt: now() } : each
    const book = await state.update((before) => changeSuggestion(before, id, dismiss))
    const found = book.suggestions.find((each) => each.id === id)
    if (found?.status !== 'dismissed') throw decided(found ?? this.#find(id))
    return found
  }

  #find(id: number): Suggestion {
    const found = this.#deps.state.get().suggestions.find((each) => each.id === id)
    if (found) return found
    const message = `There is no suggestion ${id}. svc cron suggestions shows those that are pending.`
    throw new SvcError('SUGGESTION_UNKNOWN', message, { status: 404 })
  }

  /** Makes the job of an accepted suggestion, or finds the one that was made. One that cannot be made is pending again. */
  async #make(suggestion: Suggestion): Promise<ScheduledJob> {
    const { state } = this.#deps
    const jobs = await this.#deps.jobs()
    const { id, key, jobId } = suggestion
    if (jobId !== undefined || !suggestion.job) return jobs.get(jobId ?? '')
    try {
      const { schedule, script, origin, ...settings } = suggestion.job
      const job = await jobs.create({
        ...settings,
        ...(script !== undefined && { script }),
        ...(origin !== undefined && { origin }),
        schedule: await jobs.parse(schedule),
        key: `suggestion:${key}`,
      })
      await state.update((book) => changeSuggestion(book, id, (each) => ({ ...withoutJob(each), jobId: job.id })))
      return job
    } catch (error) {
      if (!errorCode(error)?.startsWith('CRON_')) throw error
      const reopen = ({ decidedAt: _, ...each }: Suggestion): Suggestion => ({ ...each, status: 'pending' })
      await state.update((book) =>
        changeSuggestion(book, id, (each) => (each.jobId === undefined ? reopen(each) : each)),
      )
      throw error
    }
  }

  async #offer(blueprints: readonly Blueprint[], starters: readonly string[]): Promise<void> {
    const { state, now, createKey } = this.#deps
    const offers = blueprints.flatMap((blueprint): readonly Offer[] => {
      const isStarter = blueprint.skill === undefined && STARTERS.includes(blueprint.key)
      if (blueprint.skill === undefined && !isStarter) return []
      const { name, schedule, prompt, deliver } = fillBlueprint(blueprint, {})
      const { skills = [], script, isScriptOnly = false } = blueprint.settings ?? {}
      const job = { name, schedule, prompt, deliver: [...deliver], skills: [...skills], isScriptOnly }
      return [
        {
          ...{ source: isStarter ? ('catalog' as const) : ('blueprint' as const), blueprint: blueprint.key },
          title: blueprint.title,
          reason: isStarter ? blueprint.description : `The skill ${blueprint.skill} brings it.`,
          job: { ...job, ...(script !== undefined && { script }) },
        },
      ]
    })
    const before = state.get()
    const merge = (book: SuggestionBook) => {
      // Those that stay are offered, new ones of svc only where nothing is scheduled. Skills come first.
      const known = book.suggestions.map((each) => `${each.source}:${each.blueprint}`)
      const wanted = offers.filter(
        ({ source, blueprint }) =>
          source !== 'catalog' || starters.includes(blueprint) || known.includes(`${source}:${blueprint}`),
      )
      const sorted = wanted.toSorted(
        (one, other) => Number(one.source === 'catalog') - Number(other.source === 'catalog'),
      )
      return mergeOffers(book, sorted, { now: now(), createKey })
    }
    // Not written where nothing changes: a home may be read-only.
    if (merge(before) !== before) await state.update(merge)
    for (const open of state.get().suggestions)
      if (open.status === 'accepted' && open.jobId === undefined) await this.#make(open).catch(this.#deps.onProblem)
  }
}

const withoutJob = ({ job: _, ...rest }: Suggestion): Suggestion => rest

const withOrigin = (job: Offer['job'], origin: string | undefined): Offer['job'] =>
  origin === undefined ? job : { ...job, origin }

function decided({ id, status }: Suggestion): SvcError {
  const message = `Suggestion ${id} was ${status} before.`
  return new SvcError('SUGGESTION_DECIDED', message, { status: 409 })
}
