/** For the shell of the agent: backends, background processes, the sandbox, and what a command would do. */
export {
  type CommandEffects,
  HardLimits,
  type RiskHarm,
  type RiskPattern,
  ShellCommandAnalysis,
  type ShellCommandContext,
  type ShellCommandRisk,
  type ShellDialect,
} from '../command-risks.ts'
export {
  type CommandAnalysis,
  CommandKnowledge,
  type CommandLocation,
  ProcessSandbox,
  type SandboxedLaunch,
  type SandboxNeed,
  type SandboxNeedText,
  type SandboxPolicy,
} from '../confinement.ts'
export {
  type EnvironmentEntry,
  type EnvironmentFileBytes,
  type EnvironmentFileChange,
  type EnvironmentFileInfo,
  type EnvironmentFiles,
  type EnvironmentListing,
  type EnvironmentListOptions,
  type EnvironmentMatch,
  type EnvironmentMatches,
  type EnvironmentSearch,
  type ExecutionEnvironment,
  ExecutionEnvironments,
  findEnvironment,
} from '../environments.ts'
export { AGENT_PROCESS_VARIABLE, AgentProcesses } from '../leash.ts'
export {
  type BackgroundProcess,
  BackgroundProcesses,
  type BackgroundProcessOptions,
  type ProcessNotification,
  StartedProcesses,
} from '../processes.ts'
export {
  type ProgramSpec,
  type ShellBackend,
  type ShellBackendSettings,
  ShellBackends,
  type ShellContext,
  type ShellEnvironment,
  type SpawnSpec,
  shellQuote,
} from '../terminals.ts'
