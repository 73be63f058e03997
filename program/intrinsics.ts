/**
 * Locks what the language itself lends to everybody, before code of a plugin of a user runs: a patched
 * `RegExp.prototype.test` or `Array.prototype.find` would judge for every guard. What is there stays as it is; adding to a
 * prototype still works. This stops a careless patch and the simplest attack; code in this process has other ways.
 */

const shared: readonly object[] = [
  RegExp.prototype,
  String.prototype,
  Array.prototype,
  Map.prototype,
  Set.prototype,
  WeakMap.prototype,
  Function.prototype,
  Object,
  Array,
  Reflect,
  JSON,
]

/** Where libraries set a property of an own object that is named as one of these: locked, that would throw. */
const leftOpen: readonly PropertyKey[] = ['toString', 'constructor', 'name', 'length', 'push', 'caller', 'arguments']

let isLocked = false

/** Costs about a millisecond, once. */
export function lockIntrinsics(): void {
  if (isLocked) return
  isLocked = true
  for (const target of shared)
    for (const key of Reflect.ownKeys(target)) {
      const property = Object.getOwnPropertyDescriptor(target, key)
      if (leftOpen.includes(key) || !property?.configurable) continue
      const fixed = 'value' in property ? { writable: false, configurable: false } : { configurable: false }
      Object.defineProperty(target, key, fixed)
    }
}
