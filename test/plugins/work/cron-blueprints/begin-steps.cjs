/** Loaded after `kill-at-step.cjs`: steps are counted from the start of the process. */
globalThis.svcSteps.begin()
