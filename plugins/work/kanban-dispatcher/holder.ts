/** How a dispatcher names itself in a claim: by its machine and its process, so that a later one can tell whether it still runs. */
import { getMachineName, ownProcess, type ProcessMark } from 'svc/sdk/kit/process'

export function ownHolder(): string {
  const { pid, identity } = ownProcess()
  return `${getMachineName()}/${pid}/${identity}`
}

/** Undefined for the holder of a claim that something else than a dispatcher made. */
export function parseHolder(holder: string): (ProcessMark & { readonly machine: string }) | undefined {
  const [, machine, pid, identity] = /^([^/]+)\/(\d+)\/(.*)$/.exec(holder) ?? []
  return machine === undefined ? undefined : { machine, pid: Number(pid), identity: identity ?? '' }
}
