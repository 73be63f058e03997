/** `svc/sdk/testing`: a real kernel for tests, fakes for its edges, and the contracts that every contribution passes. */
export { type VirtualClock, virtualClock } from './testing/clock.ts';
export { type CliResult, type CliSetting, type TestKernel, testKernel } from './testing/kernel.ts';
export { type FakeProvider, fakeProvider, type ScriptedReply } from './testing/provider.ts';
