/** A storing service over a temporary folder, for one case of its contract. */
import { inFolder } from './contract.ts'

/**
 * A service over a folder; `close` is the end of the program. Made again over the same folder it finds what it kept.
 * @since 0.2
 */
export interface OpenStore<T> {
  readonly service: T
  close(): Promise<void>
}

/** An open service for one case. */
export interface Shelf<T> {
  readonly folder: string
  /** The service as it is now. */
  readonly service: T
  /** Ends the program and starts it again. */
  reopen(): Promise<void>
}

/** Runs one case with a service over a fresh folder. */
export type MakeStore<T> = (run: (shelf: Shelf<T>) => Promise<void>) => Promise<void>

/** Runs one case on what `make` opens. */
export async function onShelf<T>(
  make: (folder: string) => Promise<OpenStore<T>>,
  run: (shelf: Shelf<T>) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    let open = await make(folder)
    const shelf: Shelf<T> = {
      folder,
      get service() {
        return open.service
      },
      async reopen() {
        await open.close()
        open = await make(folder)
      },
    }
    try {
      await run(shelf)
    } finally {
      await open.close()
    }
  })
}
