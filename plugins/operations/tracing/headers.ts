/** `OTEL_EXPORTER_OTLP_HEADERS`, as in opentelemetry.io/docs/specs/otel/protocol/exporter. */
import { SvcError } from 'svc/sdk'

const PAIR = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/

/** Throws `TRACING_HEADERS`. Values are percent-encoded where needed. */
export function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').filter((part) => part.trim() !== '')
  return Object.fromEntries(
    pairs.map((part) => {
      const [, name, value] = PAIR.exec(part) ?? []
      const decoded = value === undefined ? undefined : decode(value)
      if (name === undefined || decoded === undefined)
        throw new SvcError(
          'TRACING_HEADERS',
          'OTEL_EXPORTER_OTLP_HEADERS is not a list such as authorization=Bearer%20abc,x-team=ops.',
        )
      return [name, decoded]
    }),
  )
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
