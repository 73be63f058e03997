/** All rules. */
import { EXECUTION } from './execution.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { PACKAGES } from './packages.ts'
import type { ScanRule } from './rule.ts'
import { SECRETS } from './secrets.ts'
import { SYSTEM } from './system.ts'

export const RULES: readonly ScanRule[] = [...EXECUTION, ...PACKAGES, ...SECRETS, ...SYSTEM, ...INSTRUCTIONS]
