/** What the bench reports. */
import { median, pairedRatio } from './statistics.ts'

/** Who did the work: the least possible program, the plain script, the script with the `openai` package, the product. */
export const contenders = ['floor', 'bare', 'sdk', 'ours'] as const
export type Contender = (typeof contenders)[number]

/** Measurements of one kind, in the order of the rounds. */
export type Series = Partial<Record<Contender, readonly number[]>>

/** The most that is allowed: so many times another contender, so many units `above` it, or, both left out, so many units. */
export interface Target {
  readonly max: number
  readonly of?: 'floor' | 'bare'
  readonly above?: 'floor' | 'bare'
}

/** One line of the report. */
export interface Row {
  readonly work: string
  readonly unit: string
  /** Medians. */
  readonly values: Partial<Record<Contender, number>>
  /** Ours as a multiple of each other contender. */
  readonly ratios: Partial<Record<Contender, number>>
  readonly target?: Target
  /** Why a contender has no value. */
  readonly failures?: Partial<Record<Contender, string>>
}

/** A row of medians and ratios. */
export function createRow(work: string, unit: string, series: Series, target?: Target): Row {
  const values: Row['values'] = {}
  const ratios: Row['ratios'] = {}
  for (const name of contenders) {
    const own = series[name]
    if (!own?.length) continue
    values[name] = median(own)
    if (name !== 'ours' && series.ours?.length) ratios[name] = pairedRatio(series.ours, own)
  }
  return { work, unit, values, ratios, ...(target ? { target } : {}) }
}

/** A row of the smallest measurements: on a machine that others use, the run that was disturbed least. */
export function createFastestRow(work: string, unit: string, series: Series): Row {
  const entries = Object.entries(series).filter(([, own]) => own.length > 0)
  const least = Object.fromEntries(entries.map(([name, own]) => [name, [Math.min(...own)]])) as Series
  return createRow(`${work}, fastest run`, unit, least)
}

/** Whether a row keeps to its target; undefined when there is none or ours was not measured. */
export function verdict({ target, values, ratios }: Row): 'ok' | 'over' | undefined {
  if (target === undefined) return undefined
  const { max, of, above } = target
  const beyond = above === undefined ? 0 : (values[above] ?? Number.NaN)
  const reached = of === undefined ? (values.ours ?? Number.NaN) - beyond : ratios[of]
  if (reached === undefined || Number.isNaN(reached)) return undefined
  return reached <= max ? 'ok' : 'over'
}
