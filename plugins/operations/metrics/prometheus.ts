/**
 * The meter and the text that Prometheus reads (prometheus.io/docs/instrumenting/exposition_formats), by the packages of OpenTelemetry.
 * They are read when metrics are first served.
 */
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export type Meter = ReturnType<MeterProvider['getMeter']>

export interface MeterSource {
  readonly meter: Meter
  /** The current values, in the text format of Prometheus. */
  read(): Promise<string>
  close(): Promise<void>
}

export function openMeter(): MeterSource {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  // Without timestamps, and without labels and series about the library.
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true)
  return {
    meter: provider.getMeter('svc'),
    async read() {
      const { resourceMetrics, errors } = await exporter.collect()
      if (errors.length > 0) throw new AggregateError(errors, 'the values could not be read')
      return serializer.serialize(resourceMetrics)
    },
    close: () => provider.shutdown(),
  }
}
