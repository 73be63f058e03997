/** For providers of models: wires, keys, sign-in, failures, and calls beside the conversation. */
export type { ModelRetry } from '../agent.ts'
export type { AuxiliaryAnswer, AuxiliaryRequest, AuxiliarySlot } from '../auxiliary.ts'
export { isConversationSummary } from '../compression.ts'
export {
  type AuthFlow,
  AuthFlows,
  type Credential,
  Credentials,
  type NewCredential,
  type PooledCredential,
  type SignedIn,
} from '../credentials.ts'
export type { Carry } from '../messages.ts'
export { isLoopback, isLoopbackHost, mayHaveKey } from '../model-address.ts'
export { callModel, type ModelCall } from '../model-call.ts'
export { type ModelCallInfo, ModelCalling } from '../model-calls.ts'
export { type AnswerPart, type AnswerPiece, type Author, answerParts, carryAnswer } from '../model-carry.ts'
export type { ErrorRule } from '../model-error-rules.ts'
export { type FailedAnswer, modelFailure, retryDelay, type ServiceErrors } from '../model-failure.ts'
export { type ModelKey, modelKeyStatus, takeModelKey } from '../model-key.ts'
export {
  type Complaints,
  easierRequest,
  objectInput,
  type PictureLimits,
  resultText,
  unseenPicture,
} from '../model-request.ts'
export { type JsonSchema, objectSchema } from '../model-schema.ts'
export { type ModelServer, ModelServers } from '../model-servers.ts'
export {
  fetchModelList,
  type ModelListRequest,
  type ModelService,
  type ModelVendor,
  modelServiceStatus,
  type ProviderHost,
  resolveModelService,
} from '../model-service.ts'
export { type AnswerEnd, AnswerParts, type CallParts, type StreamedAnswer } from '../model-stream.ts'
export { retryAfterMs } from '../model-wait.ts'
export type { ModelChoice } from '../models.ts'
export {
  type AnswerFormat,
  type AnswerFormatSupport,
  type ModelEvent,
  type ModelFailure,
  type ModelInfo,
  type ModelPrice,
  type ModelProvider,
  type ModelRequest,
  type ProviderAuth,
  Providers,
  type ReasoningLevel,
  type ToolDefinition,
} from '../providers.ts'
export type { EventReader } from '../sse.ts'
