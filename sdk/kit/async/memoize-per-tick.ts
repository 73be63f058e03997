/** Looks at the outside that many turns take at once. */

/**
 * The same as `look`, asked at most once for each key in one round of the event loop: sixteen turns that begin together need
 * not read the same file sixteen times. What it throws is thrown to each, and not kept.
 * @since 0.2
 */
export function memoizePerTick<Key, Value>(look: (key: Key) => Value): (key: Key) => Value {
  const seen = new Map<Key, Value>()
  return (key) => {
    const known = seen.get(key)
    if (known !== undefined || seen.has(key)) return known as Value
    const value = look(key)
    if (seen.size === 0) setImmediate(() => seen.clear())
    seen.set(key, value)
    return value
  }
}
