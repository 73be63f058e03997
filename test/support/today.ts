/**
 * Long lists of faults are tried in parts, another one every third day, so that after so many rounds all are. `SVC_FAULTS=all` tries
 * all of them; a failure is repeated with the day that its message names: `SVC_FAULTS_DAY=20784`.
 */
export const IS_ALL: boolean = process.env['SVC_FAULTS'] === 'all'

/** Days since 1970. */
export const DAY: number = Number(process.env['SVC_FAULTS_DAY'] ?? Math.floor(Date.now() / 86_400_000))

/** Slow files run on one of so many days in CI (`rotation.ts`). */
export const DAYS = 3

/** Each of the slow files runs once in a round. */
export const ROUND: number = Math.floor(DAY / DAYS)

/** Whether the part of today holds the item with this number, where each part has one of `parts` items. */
export function isToday(number: number, parts: number): boolean {
  return IS_ALL || (number + ROUND) % parts === 0
}

/** A function that says it of one item after the other. */
export function countToday(parts: number): () => boolean {
  let number = 0
  return () => isToday(number++, parts)
}
