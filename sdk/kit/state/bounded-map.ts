/** Maps in memory that forget. */

/** Sets the entry as the newest one, and drops the oldest when there are more than `most`. @since 0.2 */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
