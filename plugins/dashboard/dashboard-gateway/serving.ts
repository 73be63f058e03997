/** The dashboard of a gateway: opened when it is asked for, once, and told to other processes. */
import type { Dashboard, ServedDashboard } from 'svc/sdk/dashboard'
import { z } from 'zod'

/** Where it listens; left out: as it is configured. */
export const place = z.object({ host: z.string().optional(), port: z.number().int().min(0).max(65_535).optional() })
type Place = z.infer<typeof place>

interface HostDeps {
  readonly dashboard: () => Promise<Dashboard>
  /** For the next start of the gateway. */
  readonly keep: (place: Place | null) => Promise<void>
}

/** What other processes are told. */
interface Info {
  readonly kind: 'dashboard'
  readonly url: string
  readonly port: number
  readonly pid: number
}

export function createHost({ dashboard, keep }: HostDeps) {
  let opening: Promise<ServedDashboard> | undefined
  let served: ServedDashboard | undefined
  const info = (): Info | undefined =>
    served && { kind: 'dashboard', url: served.url, port: served.port, pid: process.pid }
  const close = async () => {
    await opening?.catch(() => {})
    opening = undefined
    await served?.close()
    served = undefined
  }
  const serve = async ({ host, port }: Place) => {
    const service = await dashboard()
    return service.serve({ ...(host !== undefined && { host }), ...(port !== undefined && { port }) })
  }
  return {
    info,
    close,
    status: () => info(),
    /** One that is open already stays as it is. Throws what `Dashboard.serve` throws; then the next call tries again. */
    async open(params: unknown): Promise<Info | undefined> {
      const wanted = place.parse(params ?? {})
      opening ??= serve(wanted)
      try {
        served = await opening
      } catch (error) {
        opening = undefined
        throw error
      }
      // A free port was taken: pages that are open find it there again.
      await keep({ ...wanted, port: served.port })
      return info()
    },
    async stop(): Promise<{ readonly pid: number } | undefined> {
      if (!served) return undefined
      await keep(null)
      await close()
      return { pid: process.pid }
    },
  }
}
