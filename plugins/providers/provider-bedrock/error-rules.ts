/**
 * What Bedrock's exceptions mean, by their types: statuses of several mean something else
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html).
 */
import type { ErrorRule } from 'svc/sdk/provider'

export const errorRules: readonly ErrorRule[] = [
  // A full context is a validation exception there, and a wrong model, too.
  {
    words: /input is too long|maximum (context|input) length|prompt is too long|input tokens exceeded/i,
    kind: 'context-overflow',
  },
  {
    words:
      /model identifier is invalid|inference profile|end of its life|don't have access to the model|use case details/i,
    kind: 'model-not-found',
  },
  { code: type('Throttling'), words: /per day/i, kind: 'rate-limit', lasting: true },
  { code: type('Throttling'), kind: 'rate-limit' },
  { code: type('ServiceQuotaExceeded'), kind: 'rate-limit' },
  {
    code: type(
      'AccessDenied|ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|MissingAuthenticationToken',
    ),
    kind: 'auth',
  },
  { code: type('ModelNotReady|ServiceUnavailable'), kind: 'overloaded' },
  { code: type('ModelTimeout'), kind: 'timeout' },
  { code: type('ModelError|ModelStreamError|InternalServer|InternalFailure'), kind: 'server' },
  { code: type('ResourceNotFound'), kind: 'model-not-found' },
]

/** Types come with and without their last word, and in a stream with a small letter. */
function type(names: string): RegExp {
  return new RegExp(`^(${names})(Exception|Error)?$`, 'i')
}
