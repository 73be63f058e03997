/** The tracer and its way to a collector (OTLP over HTTP, opentelemetry.io/docs/specs/otlp). Read when the plugin starts. */
import { ROOT_CONTEXT, type Span, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'

export interface TracerOptions {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** From 0 to 1. */
  readonly sample: number
  readonly resource: Readonly<Record<string, string>>
  /** Spans could not be delivered; they are lost. */
  readonly failed: (error: Error | undefined) => void
}

export interface TracerSource {
  readonly tracer: Tracer
  flush(): Promise<void>
  close(): Promise<void>
}

export function openTracer({ endpoint, headers, sample, resource, failed }: TracerOptions): TracerSource {
  const exporter = new OTLPTraceExporter({ url: endpoint, headers: { ...headers } })
  const watched: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error || result.code !== 0) failed(result.error)
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ ...resource }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
    spanProcessors: [new BatchSpanProcessor(watched)],
  })
  return { tracer: provider.getTracer('svc'), flush: () => provider.forceFlush(), close: () => provider.shutdown() }
}

/** The context of what happens below a span; that of a new trace without one. */
export function below(parent: Span | undefined): typeof ROOT_CONTEXT {
  return parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}
