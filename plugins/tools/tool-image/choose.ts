/** Who makes a picture. One backend is asked and no other: two that try are two that may want to be paid. */
import type { ImageGenerator } from 'svc/sdk/media'
import type { Config } from './config.ts'

export interface ChoiceDeps {
  readonly config: Pick<Config, 'backend'>
  readonly backends: () => readonly ImageGenerator[]
}

/** The named backend, else the first that can. */
export function chooseBackend(deps: ChoiceDeps, job: 'make' | 'edit'): ImageGenerator | { readonly reason: string } {
  const all = deps.backends()
  const { backend: name } = deps.config
  if (name !== '') return findNamedBackend(name, job, all)
  const usable = all.filter((backend) => backend.missing() === undefined)
  const fit = usable.find(({ edits }) => job === 'make' || edits)
  if (fit) return fit
  if (usable.length > 0) return { reason: `cannot change pictures: ${usable.map((each) => each.label).join(', ')}` }
  return { reason: all.map((backend) => `${backend.name} ${backend.missing()}`).join('; ') || 'needs a backend' }
}

function findNamedBackend(name: string, job: 'make' | 'edit', all: readonly ImageGenerator[]) {
  const backend = all.find((each) => each.name === name)
  if (!backend) return { reason: `image.backend is ${name}; there are ${all.map((each) => each.name).join(', ')}` }
  const missing = backend.missing()
  if (missing !== undefined) return { reason: `${name} ${missing}` }
  return job === 'edit' && !backend.edits ? { reason: `${name} cannot change pictures` } : backend
}
