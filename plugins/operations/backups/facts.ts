/** What a backup or an export says about itself: `backup.json` is its first entry, `manifest.json` its last one. */
import { z } from 'zod'

/** Of the format that is written. One with another number was written by a later svc. */
export const FORMAT = 1
export const HEAD = 'backup.json'
export const MANIFEST = 'manifest.json'
/** Below it are the files of the home. */
export const PREFIX = 'home/'

export const backupHead = z.object({
  /** An export is a part of a home, for another machine; a snapshot the state of a home, for itself. */
  kind: z.enum(['svc-backup', 'svc-export', 'svc-snapshot']),
  /** Judged before anything else, so that a later format gets the right message. */
  format: z.int().min(1),
  /** ISO 8601. */
  created: z.string().max(40),
  /** The version of svc that made it. */
  program: z.string().max(64),
  /** The profile that it is of; left out for a whole home. */
  profile: z.string().max(64).optional(),
  /** Of a snapshot: what a person calls it. */
  label: z.string().max(80).optional(),
  /** Of an export: what the person who imports it should know. */
  notes: z.array(z.string().max(2000)).max(1000).optional(),
})
export type BackupHead = z.infer<typeof backupHead>

export const backupManifest = z.object({
  files: z.record(
    z.string(),
    z.object({
      bytes: z.int().min(0),
      sha256: z.string().length(64),
      /** As its owner counts versions of what is in it. */
      schema: z.int().optional(),
    }),
  ),
  folders: z.array(z.string()),
  /** Symbolic links, by their paths: where they lead. */
  links: z.record(z.string(), z.string()),
})
export type BackupManifest = z.infer<typeof backupManifest>
