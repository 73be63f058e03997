/** Error codes of the plugin `metrics`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  METRICS_TOKEN: 'SVC_METRICS_TOKEN is not set or too weak. Set one: svc config set SVC_METRICS_TOKEN <token>.',
} satisfies ErrorMessages
