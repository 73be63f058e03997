/** Installations that svc does not change: which command does. */
import type { Installation } from './installation.ts'

/** What to run, as a sentence; undefined for an installation that svc updates. */
export function explainForeign(
  { method, base, name }: Pick<Installation, 'method' | 'base' | 'name'>,
  systemCommand: string | undefined,
): string | undefined {
  switch (method) {
    case 'npm':
    case 'git':
      return undefined
    case 'container':
      return 'This svc is part of a container image. Pull or build the new image and create the container again: docker compose up --build --detach, or podman pull IMAGE.'
    case 'nix':
      return 'This svc was installed by Nix. Update the input that it comes from, then rebuild: nix profile upgrade svc, or nixos-rebuild switch.'
    case 'homebrew':
      return 'This svc was installed by Homebrew. Run: brew upgrade svc'
    case 'npx':
      return `This svc was started by npx, which keeps a copy of its own. Run: npx ${name}@latest`
    case 'system':
      return `The package manager of this system installed this svc. Run: ${systemCommand ?? 'its command for an upgrade'}`
    default:
      return `It cannot be seen what installed the svc in ${base}. Install it with npm or from a git checkout, or write the method (npm, git, system, nix, container) to ${base}/.install_method.`
  }
}
