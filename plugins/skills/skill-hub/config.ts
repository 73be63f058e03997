import { z } from 'zod'

const address = z.url({ protocol: /^https?$/ })

export const config = z.object({
  index_url: address
    .default('https://skills.sh')
    .describe('The hub that `skills.sh:` names: its search is at /api/search'),
  clawhub_url: address
    .default('https://clawhub.ai')
    .describe('The hub that `clawhub:` names: its API is below /api/v1'),
  github_api_url: address.default('https://api.github.com').describe('Address of the GitHub API'),
  github_raw_url: address
    .default('https://raw.githubusercontent.com')
    .describe('Where files of GitHub repositories are read'),
  taps: z
    .array(z.string())
    .default(['openai/skills', 'anthropics/skills', 'huggingface/skills', 'NVIDIA/skills'])
    .describe('GitHub repositories that `svc skills search` looks into; `svc skills tap` adds more'),
  trusted: z
    .array(z.string())
    .default(['openai/skills', 'anthropics/skills', 'huggingface/skills', 'NVIDIA/skills'])
    .describe('GitHub repositories whose skills may be installed with findings of severity high'),
  timeout: z.number().int().min(1).max(300).default(30).describe('Seconds to wait for an answer of a hub'),
})

export type Config = z.infer<typeof config>
