/** The same work for what several plugins contributed: one that fails, or never ends, ends no other. */
import type { Clock } from '../../ports.ts'
import { withDeadline } from './deadline.ts'

/** Options of `runEach`. @since 0.2 */
export interface RunEachOptions<Item, Result> {
  readonly clock: Pick<Clock, 'after'>
  readonly timeoutMs: number
  /** Aborts the work of all; each of them has failed then. */
  readonly signal: AbortSignal
  run(item: Item, signal: AbortSignal): Promise<Result>
  /** The result in place of one that failed or took longer than the limit. */
  failed(item: Item, error: unknown): Result
}

/** The results of concurrent work, in the order of the items. Rejects only with what `failed` throws. @since 0.2 */
export function runEach<Item, Result>(
  items: readonly Item[],
  { clock, timeoutMs, signal: outer, run, failed }: RunEachOptions<Item, Result>,
): Promise<Result[]> {
  const late = () => new Error(`it took longer than ${timeoutMs / 1000} s`)
  return Promise.all(
    items.map((item) =>
      withDeadline(clock, timeoutMs, (signal) => run(item, signal), late, { signal: outer }).catch((error: unknown) =>
        failed(item, error),
      ),
    ),
  )
}
