/** Error codes of the plugin `tracing`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TRACING_HEADERS: 'OTEL_EXPORTER_OTLP_HEADERS is not a list such as name=value,other=value.',
} satisfies ErrorMessages
