/** `svc/sdk/testing`: a real kernel for tests, fakes for its edges, and the contracts that every contribution passes. */
export { type VirtualClock, virtualClock } from './testing/clock.ts'
export { type ConformanceOptions, type ConformanceReport, conformance } from './testing/conformance.ts'
export { type ConformanceChildOptions, conformanceInChild } from './testing/conformance-child.ts'
export type { ContractCase } from './testing/contracts/contract.ts'
export {
  type EnvironmentFilesSetup,
  environmentFilesContract,
  type OpenedEnvironmentFiles,
} from './testing/contracts/environment-files.ts'
export { dashboardPageContract, sharedViewContract } from './testing/contracts/pages.ts'
export { type PlatformPeer, type PlatformSetup, platformContract } from './testing/contracts/platform.ts'
export { type ProviderSetup, providerContract } from './testing/contracts/provider.ts'
export type { OpenStore } from './testing/contracts/shelf.ts'
export { type StoreMakers, storeContract } from './testing/contracts/store.ts'
export { type ContractTurn, type ToolSample, toolContract } from './testing/contracts/tool.ts'
export { type WireSetup, wireContract } from './testing/contracts/wire.ts'
export type { ToolSamples } from './testing/contributions.ts'
export type { ConformanceCase, ConformanceWatch } from './testing/examination.ts'
export { outboundFile } from './testing/file.ts'
export { type FakePerson, type FakeTalk, fakeTalk } from './testing/front.ts'
export { type CliResult, type CliSetting, type TestKernel, testKernel } from './testing/kernel.ts'
export { type KilledGatewayOptions, runKilledGateway } from './testing/kills/gateway.ts'
export type { MessageWay } from './testing/kills/script.ts'
export {
  type KillResult,
  type PlatformKill,
  type PlatformKillOptions,
  platformKillSuite,
} from './testing/kills/suite.ts'
export { fakePerson } from './testing/person.ts'
export { type FakePlatform, fakePlatform, type SentMessage } from './testing/platform.ts'
export { type FakeProvider, fakeProvider, type ScriptedReply } from './testing/provider.ts'
export { fakeRequestInfo } from './testing/request-info.ts'
export { openStandIn } from './testing/stand-in.ts'
export type { ConformanceSettings, ConformanceSubject } from './testing/subject.ts'
export { fakeToolTurn } from './testing/tool-turn.ts'
export { fakeTurn } from './testing/turn.ts'
