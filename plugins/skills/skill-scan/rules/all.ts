/** All rules. */
import { EXECUTION } from './execution.ts'
import { FALSEHOODS } from './falsehoods.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { OTHER_LANGUAGES } from './languages.ts'
import { LOADERS } from './loaders.ts'
import { PACKAGES } from './packages.ts'
import type { ScanRule } from './rule.ts'
import { SECRETS } from './secrets.ts'
import { SYSTEM } from './system.ts'

export const RULES: readonly ScanRule[] = [
  ...EXECUTION,
  ...LOADERS,
  ...PACKAGES,
  ...SECRETS,
  ...SYSTEM,
  ...INSTRUCTIONS,
  ...OTHER_LANGUAGES,
  ...FALSEHOODS,
]
