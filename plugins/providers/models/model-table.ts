/**
 * Prices of other tiers, one a line: `id  tier  price`, in sections as below. OpenAI: prompts of usual length. Anthropic: its fast mode.
 * What is not here is not known, and its calls are shown as unpriced.
 */
export const TIERS = `
[openai] https://openai.com/api-priority-processing/ 2026-06
gpt-5.5                 priority 12.5/75/1.25
gpt-5.4                 priority 5/30/0.5
gpt-5.4-mini            priority 1.5/9/0.15
gpt-5.2                 priority 3.5/28/0.35
gpt-5.1                 priority 2.5/20/0.25
gpt-5                   priority 2.5/20/0.25
gpt-5-mini              priority 0.45/3.6/0.045
gpt-5.1-codex           priority 2.5/20/0.25
gpt-5-codex             priority 2.5/20/0.25
gpt-4.1                 priority 3.5/14/0.875

[anthropic] https://platform.claude.com/docs/en/build-with-claude/fast-mode 2026-10
claude-opus-5           priority 10/50/1/12.5
claude-opus-4-8         priority 10/50/1/12.5
`

/**
 * Well-known models: what comes with svc. Prices are those of the usual tier, for prompts of usual length, without batch or
 * priority. What is not sure is left out: `-` is unknown, never free.
 *
 * A line is `id  window  output  price  abilities`. The price is dollars for a million tokens, `input/output`, then
 * `/cached` and `/cache write`. Abilities are i (reads images), t (calls tools), r (reasons); `.` for none of them.
 * A line `[name ...] page month` begins models of these providers: the page has their prices, and in that month they were
 * last compared with it or with others who read it. Sections of 2026-01 are from memory of these pages at that time.
 * Models of `[any]` are known by name wherever they run, and have no price because that is their host's matter.
 */
export const TABLE = `
[openai] https://developers.openai.com/api/docs/pricing 2026-06
gpt-5.5                 1000000 - 5/30/0.5 itr
gpt-5.5-pro             1000000 - 30/180 itr
gpt-5.4                 1000000 - 2.5/15/0.25 itr
gpt-5.4-mini            - - 0.75/4.5/0.075 itr
gpt-5.4-nano            - - 0.2/1.25/0.02 itr
gpt-5.4-pro             1000000 - 30/180 itr

[openai] https://developers.openai.com/api/docs/pricing 2026-01
gpt-5.2                 400000 128000 1.75/14/0.175 itr
gpt-5.2-pro             400000 128000 21/168 itr
gpt-5.2-chat-latest     128000 16384 1.75/14/0.175 it
gpt-5.1                 400000 128000 1.25/10/0.125 itr
gpt-5.1-codex           400000 128000 1.25/10/0.125 itr
gpt-5.1-codex-max       400000 128000 1.25/10/0.125 itr
gpt-5.1-codex-mini      400000 128000 0.25/2/0.025 itr
gpt-5.1-chat-latest     128000 16384 1.25/10/0.125 it
gpt-5                   400000 128000 1.25/10/0.125 itr
gpt-5-codex             400000 128000 1.25/10/0.125 itr
gpt-5-mini              400000 128000 0.25/2/0.025 itr
gpt-5-nano              400000 128000 0.05/0.4/0.005 itr
gpt-5-pro               400000 272000 15/120 itr
gpt-5-chat-latest       128000 16384 1.25/10/0.125 i
gpt-4.1                 1047576 32768 2/8/0.5 it
gpt-4.1-mini            1047576 32768 0.4/1.6/0.1 it
gpt-4.1-nano            1047576 32768 0.1/0.4/0.025 it
gpt-4o                  128000 16384 2.5/10/1.25 it
gpt-4o-2024-05-13       128000 4096 5/15 it
gpt-4o-mini             128000 16384 0.15/0.6/0.075 it
chatgpt-4o-latest       128000 16384 5/15 i
gpt-4-turbo             128000 4096 10/30 it
gpt-4                   8192 8192 30/60 t
gpt-4-0613              8192 8192 30/60 t
gpt-3.5-turbo           16385 4096 0.5/1.5 t
gpt-3.5-turbo-0125      16385 4096 0.5/1.5 t
o1                      200000 100000 15/60/7.5 itr
o1-mini                 128000 65536 1.1/4.4/0.55 r
o1-pro                  200000 100000 150/600 itr
o3                      200000 100000 2/8/0.5 itr
o3-pro                  200000 100000 20/80 itr
o3-mini                 200000 100000 1.1/4.4/0.55 tr
o3-deep-research        200000 100000 10/40/2.5 ir
o4-mini                 200000 100000 1.1/4.4/0.275 itr
o4-mini-deep-research   200000 100000 2/8/0.5 ir
codex-mini-latest       200000 100000 1.5/6/0.375 itr

[anthropic] https://platform.claude.com/docs/en/about-claude/pricing 2026-10
claude-fable-5-1        1000000 128000 10/50/0.25/12.5 itr
claude-mythos-5-1       1000000 128000 10/50/0.25/12.5 itr
claude-fable-5          1000000 128000 10/50/1/12.5 itr
claude-mythos-5         1000000 128000 10/50/1/12.5 itr
claude-opus-5-5         1000000 128000 4/20/0.2/5 itr
claude-sonnet-5-5       1000000 128000 2/10/0.1/2.5 itr
claude-haiku-5-5        1000000 128000 - itr
claude-opus-5           1000000 128000 5/25/0.5/6.25 itr
claude-sonnet-5         1000000 128000 2/10/0.2/2.5 itr
claude-opus-4-8         - 128000 5/25/0.5/6.25 itr
claude-opus-4-7         - 128000 5/25/0.5/6.25 itr
claude-opus-4-6         200000 128000 5/25/0.5/6.25 itr
claude-sonnet-4-6       200000 64000 3/15/0.3/3.75 itr
claude-opus-4-5         200000 64000 5/25/0.5/6.25 itr
claude-sonnet-4-5       200000 64000 3/15/0.3/3.75 itr
claude-haiku-4-5        200000 64000 1/5/0.1/1.25 itr
claude-opus-4-1         200000 32000 15/75/1.5/18.75 itr

[anthropic] https://platform.claude.com/docs/en/about-claude/pricing 2026-01
claude-opus-4           200000 32000 15/75/1.5/18.75 itr
claude-opus-4-0         200000 32000 15/75/1.5/18.75 itr
claude-sonnet-4         200000 64000 3/15/0.3/3.75 itr
claude-sonnet-4-0       200000 64000 3/15/0.3/3.75 itr
claude-3-7-sonnet       200000 64000 3/15/0.3/3.75 itr
claude-3-5-sonnet       200000 8192 3/15/0.3/3.75 it
claude-3-5-haiku        200000 8192 0.8/4/0.08/1 it
claude-3-opus           200000 4096 15/75/1.5/18.75 it
claude-3-haiku          200000 4096 0.25/1.25/0.03/0.3 it

[gemini] https://ai.google.dev/gemini-api/docs/pricing 2026-10
gemini-3.8-flash        - - 0.75/3.75 itr
gemini-3.5-flash        - - 1.5/9 itr
gemini-3.5-flash-lite   - - 0.3/2.5 itr
gemini-3.1-pro-preview  1048576 65536 2/12 itr
gemini-2.5-pro          1048576 65536 1.25/10/0.125 itr
gemini-2.5-flash        1048576 65536 0.3/2.5/0.03 itr
gemini-2.5-flash-lite   1048576 65536 0.1/0.4/0.01 itr

[gemini] https://ai.google.dev/gemini-api/docs/pricing 2026-01
gemini-3-pro-preview    1048576 65536 2/12/0.2 itr
gemini-3-flash-preview  1048576 65536 0.5/3/0.05 itr
gemini-2.5-flash-image  32768 32768 - i
gemini-2.0-flash        1048576 8192 0.1/0.4/0.025 it
gemini-2.0-flash-lite   1048576 8192 0.075/0.3 it
gemini-1.5-pro          2097152 8192 1.25/5 it
gemini-1.5-flash        1048576 8192 0.075/0.3 it
gemini-1.5-flash-8b     1048576 8192 0.0375/0.15 it

[xai] https://docs.x.ai/docs/models 2026-01
grok-4                  256000 - 3/15/0.75 itr
grok-4-0709             256000 - 3/15/0.75 itr
grok-4-1-fast-reasoning 2000000 - 0.2/0.5/0.05 itr
grok-4-1-fast-non-reasoning 2000000 - 0.2/0.5/0.05 it
grok-4-fast-reasoning   2000000 - 0.2/0.5/0.05 itr
grok-4-fast-non-reasoning 2000000 - 0.2/0.5/0.05 it
grok-code-fast-1        256000 - 0.2/1.5/0.02 tr
grok-3                  131072 - 3/15/0.75 t
grok-3-mini             131072 - 0.3/0.5/0.075 tr
grok-2-vision           32768 - 2/10 it

[deepseek] https://api-docs.deepseek.com/quick_start/pricing 2026-01
deepseek-chat           131072 8192 0.28/0.42/0.028 t
deepseek-reasoner       131072 65536 0.28/0.42/0.028 tr

[mistral] https://mistral.ai/pricing 2026-01
mistral-large-latest    262144 - 0.5/1.5 it
mistral-large-2512      262144 - 0.5/1.5 it
mistral-large-2411      131072 - 2/6 t
mistral-medium-latest   131072 - 0.4/2 it
mistral-medium-2508     131072 - 0.4/2 it
mistral-small-latest    131072 - 0.1/0.3 it
mistral-small-2506      131072 - 0.1/0.3 it
magistral-medium-latest 131072 - 2/5 itr
magistral-small-latest  131072 - 0.5/1.5 itr
codestral-latest        262144 - 0.3/0.9 t
devstral-medium-2507    131072 - 0.4/2 t
devstral-small-2507     131072 - 0.1/0.3 t
pixtral-large-latest    131072 - 2/6 it
open-mistral-nemo       131072 - 0.15/0.15 t

[groq] https://groq.com/pricing 2026-01
llama-3.3-70b-versatile 131072 32768 0.59/0.79 t
llama-3.1-8b-instant    131072 131072 0.05/0.08 t
openai/gpt-oss-120b     131072 65536 0.15/0.6/0.075 tr
openai/gpt-oss-20b      131072 65536 - tr
qwen/qwen3-32b          131072 40960 0.29/0.59 tr
moonshotai/kimi-k2-instruct-0905 262144 16384 1/3/0.5 t
meta-llama/llama-4-scout-17b-16e-instruct 131072 8192 0.11/0.34 it
meta-llama/llama-4-maverick-17b-128e-instruct 131072 8192 0.2/0.6 it

[together] https://www.together.ai/pricing 2026-01
meta-llama/Llama-3.3-70B-Instruct-Turbo 131072 - 0.88/0.88 t
meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo 131072 - 0.18/0.18 t
meta-llama/Meta-Llama-3.1-405B-Instruct-Turbo 130815 - 3.5/3.5 t
meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8 1048576 - 0.27/0.85 it
meta-llama/Llama-4-Scout-17B-16E-Instruct 1048576 - 0.18/0.59 it
deepseek-ai/DeepSeek-V3 131072 - 1.25/1.25 t
deepseek-ai/DeepSeek-R1 163839 - 3/7 r

[fireworks] https://fireworks.ai/pricing 2026-01
accounts/fireworks/models/llama-v3p3-70b-instruct 131072 - 0.9/0.9 t
accounts/fireworks/models/kimi-k2-instruct 131072 - 0.6/2.5 t

[moonshot] https://platform.moonshot.ai/docs/pricing/chat 2026-01
kimi-k2.5               262144 - - itr
kimi-k2-thinking        262144 - 0.6/2.5/0.15 tr
kimi-k2-thinking-turbo  262144 - 1.15/8/0.15 tr
kimi-k2-turbo-preview   262144 - 1.15/8/0.15 t
kimi-k2-0905-preview    262144 - 0.6/2.5/0.15 t
kimi-k2-0711-preview    131072 - 0.6/2.5/0.15 t
moonshot-v1-8k          8192 - 0.2/2 t
moonshot-v1-32k         32768 - 1/3 t
moonshot-v1-128k        131072 - 2/5 t

[zai] https://docs.z.ai/guides/overview/pricing 2026-01
glm-5                   200000 131072 - tr
glm-4.7                 200000 131072 0.6/2.2/0.11 tr
glm-4.6                 200000 131072 0.6/2.2/0.11 tr
glm-4.5                 131072 98304 0.6/2.2/0.11 tr
glm-4.5-x               131072 98304 2.2/8.9/0.45 tr
glm-4.5-air             131072 98304 0.2/1.1/0.03 tr
glm-4.5-airx            131072 98304 1.1/4.5/0.22 tr
glm-4.5-flash           131072 98304 0/0 tr
glm-4.5v                65536 16384 0.6/1.8/0.11 itr

[minimax] https://platform.minimax.io/docs/guides/pricing 2026-01
MiniMax-M2.1            204800 - 0.3/1.2/0.03/0.375 tr
MiniMax-M2              204800 - 0.3/1.2/0.03/0.375 tr
MiniMax-M1              1000000 - - tr
MiniMax-Text-01         1000192 - 0.2/1.1 t

[qwen] https://www.alibabacloud.com/help/en/model-studio/model-pricing 2026-01
qwen3-max               262144 65536 - t
qwen3-coder-plus        1000000 65536 - t
qwen-max                32768 8192 1.6/6.4 t
qwen-plus               1000000 32768 - tr
qwen-turbo              1000000 16384 - tr
qwen-flash              1000000 32768 - tr
qwq-plus                131072 8192 0.8/2.4 tr

[bedrock] https://aws.amazon.com/bedrock/pricing/ 2026-01
amazon.nova-premier     1000000 - 2.5/12.5 it
amazon.nova-pro         300000 - 0.8/3.2 it
amazon.nova-lite        300000 - 0.06/0.24 it
amazon.nova-micro       128000 - 0.035/0.14 t

[any]
llama-4-maverick        1048576 - - it
llama-4-scout           - - - it
llama-3.3-70b-instruct  131072 - - t
llama-3.1-405b-instruct 131072 - - t
llama-3.1-70b-instruct  131072 - - t
llama-3.1-8b-instruct   131072 - - t
qwen3-coder-480b-a35b-instruct 262144 - - t
qwen3-235b-a22b-instruct-2507 262144 - - t
qwen3-235b-a22b-thinking-2507 262144 - - tr
qwen3-32b               - - - tr
deepseek-r1             - - - r
deepseek-r1-0528        - - - tr
deepseek-v3             - - - t
deepseek-v3-0324        - - - t
deepseek-v3.1           131072 - - tr
deepseek-v3.2           131072 - - tr
gpt-oss-120b            131072 - - tr
gpt-oss-20b             131072 - - tr
kimi-k2-instruct        131072 - - t
kimi-k2-instruct-0905   262144 - - t
mistral-small-3.2-24b-instruct 131072 - - it
gemma-3-27b-it          131072 - - i
gemma-3-12b-it          131072 - - i
phi-4                   16384 - - .
`
