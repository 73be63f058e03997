/** The block `checkpoints` of config.yaml. */
import { z } from 'zod'

/** Folders of version control and of dependencies, caches, and files that hold secrets. */
const LEFT_OUT = `.git .hg .svn .jj
  node_modules bower_components .venv venv
  __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .gradle .next .nuxt .cache .parcel-cache .turbo .terraform
  .env .env.local .env.*.local`.split(/\s+/)

export const config = z.object({
  enabled: z.boolean().default(true).meta({ description: 'Take a snapshot in each turn before the first change.' }),
  max_snapshots: z.int().min(1).max(1000).default(20).meta({ description: 'Snapshots kept of one project.' }),
  max_total_mb: z.number().positive().default(500).meta({
    description: 'Size of all snapshots together. A project with more than that in its files gets none.',
  }),
  max_file_mb: z.number().positive().default(10).meta({ description: 'Larger files are left alone.' }),
  retention_days: z.number().positive().default(7).meta({ description: 'Older snapshots are removed.' }),
  exclude: z.array(z.string().min(1)).default(LEFT_OUT).meta({
    description: 'Names of files and folders that are left alone; * stands for anything. So is what .gitignore names.',
  }),
})
export type Config = z.infer<typeof config>
