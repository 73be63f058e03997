/** For providers of models: wires, keys, sign-in, failures, and calls beside the conversation. */

export type { AuxiliaryRequest, AuxiliaryResult, AuxiliarySlotInfo } from '../auxiliary.ts'
export {
  type CredentialInfo,
  Credentials,
  type LeasedCredential,
  type NewCredential,
  type OAuthTokens,
  type SignInFlow,
  SignInFlows,
} from '../credentials.ts'
export type { ProviderMetadata } from '../messages.ts'
export { isKeyAllowedAt, isLoopback, isLoopbackHost } from '../model-address.ts'
export { type ModelCallSpec, streamModel } from '../model-call.ts'
export {
  type AnswerAuthor,
  type ProviderBlock,
  type ReplayPart,
  replayAnswer,
  toProviderMetadata,
} from '../model-carry.ts'
export type { ErrorRule } from '../model-error-rules.ts'
export {
  createModelFailure,
  retryDelayMs,
  type ServiceErrorResponse,
  type ServiceErrorRules,
} from '../model-failure.ts'
export { acquireApiKey, apiKeyStatus, type ModelKey } from '../model-key.ts'
export {
  type ImageLimits,
  type RejectedOptions,
  toObjectInput,
  toolResultText,
  unsupportedImageText,
  withoutRejectedOptions,
} from '../model-request.ts'
export { type JsonSchema, toObjectSchema } from '../model-schema.ts'
export { type ModelServer, ModelServers } from '../model-servers.ts'
export {
  endpointStatus,
  fetchModels,
  type ModelListRequest,
  type ProviderHost,
  type ResolvedEndpoint,
  resolveEndpoint,
  type VendorEndpoint,
} from '../model-service.ts'
export { AnswerBuilder, type AnswerEnd, type PartialToolCall, type StreamParser } from '../model-stream.ts'
export { parseRetryAfter } from '../model-wait.ts'
export type { ModelChoice } from '../models.ts'
export {
  type AnswerFormat,
  type AnswerFormatSupport,
  type AuthMethod,
  type ModelEvent,
  type ModelFailure,
  type ModelInfo,
  type ModelPrice,
  type ModelProvider,
  type ModelRequest,
  Providers,
  type ReasoningLevel,
  type ToolDefinition,
} from '../providers.ts'
export type { SseReader } from '../sse.ts'
export type { ModelRetry } from '../turn-events.ts'
export { AnthropicWires, OpenAiWires, type WireCall, type WireEndpoint } from '../wires.ts'
