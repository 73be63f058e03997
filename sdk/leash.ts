/** The leash: what programs that the agent started may not do to svc itself. Provided by the kernel. */
import { defineService, type Service } from './declarations.ts'

/**
 * The environment variable of every program that a tool starts for the model, and so of all that those start. Its value
 * is the tool's own. svc refuses to run for a process that has it or descends from one that does, under any name.
 * @since 0.2
 */
export const AGENT_PROCESS_VARIABLE = 'SVC_SHELL'

/** Tells a person's processes from those of the agent. @since 0.2 */
export interface AgentProcesses {
  /**
   * The process among `pid` and its ancestors that carries the mark of the agent; undefined when none does, as far as the
   * system shows. Reads the environment that each of them was started with, which it cannot take off.
   */
  findMarked(pid: number): number | undefined
}
export const AgentProcesses: Service<AgentProcesses> = defineService('leash', { free: true })
