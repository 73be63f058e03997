/** Where newer versions come from: what a registry and a repository have in common. */
import type { ChildRun } from 'svc/sdk/kit/process'
import type { Installation } from './installation.ts'

/** A version that can be installed. */
export interface Candidate {
  /** Names its folder. */
  readonly id: string
  /** For people: a version or a commit. */
  readonly title: string
  /** What it was looked for by. */
  readonly branch: string | undefined
  readonly isNewer: boolean
}

export interface SourceDeps {
  readonly installation: Installation
  readonly run: ChildRun
  /** That of the version in use, from an update before. */
  readonly followed: string | undefined
}

export interface UpdateSource {
  /** Changes nothing. Throws `UPDATE_SOURCE`. */
  find(deps: SourceDeps, branch: string | undefined): Promise<Candidate>
  /** Installs a version into an empty folder. Returns the folder of the program in it. Throws `UPDATE_SOURCE`. */
  place(deps: SourceDeps, candidate: Candidate, dir: string): Promise<string>
}
