/** Owners of registrations, for tests of the tables that keep them. */
import type { Owner } from '../../kernel/owner.ts'

/** A generation of a plugin; live unless another state is given. */
export function createOwner(name: string, more: Partial<Omit<Owner, 'name'>> = {}): Owner {
  return { name, generation: 1, batch: {}, state: 'live', ...more }
}
