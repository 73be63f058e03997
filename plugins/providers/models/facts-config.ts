/** Keys of the block `model` with which the user says what is known of models. */
import { z } from 'zod'

const dollars = (what: string) =>
  z
    .number()
    .nonnegative()
    .optional()
    .meta({ description: `US dollars for a million ${what}.` })
const tokens = (what: string) => z.int().positive().optional().meta({ description: what })
const ability = (what: string) =>
  z
    .boolean()
    .optional()
    .meta({ description: `Whether it ${what}.` })

/** To be spread into the block. */
export const factsConfig = {
  context_length: tokens('Tokens that `model.default` can read, when svc or its server has it wrong.'),
  known: z
    .record(
      z.string(),
      // Made when there is something to check: what is not set costs no time at the start.
      z.lazy(() =>
        z.object({
          context_length: tokens('Tokens that the model `<provider>/<model>` can read.'),
          max_output_tokens: tokens('Tokens that it can write.'),
          input_price: dollars('tokens that it reads; counts together with `output_price`'),
          output_price: dollars('tokens that it writes'),
          cached_input_price: dollars('tokens from its cache'),
          cache_write_price: dollars('tokens into its cache'),
          images: ability('reads pictures'),
          tools: ability('calls tools'),
          reasoning: ability('reasons before it answers'),
        }),
      ),
    )
    .default({})
    .meta({ description: 'Facts about models by `<provider>/<model>`, above all others: window, prices, abilities.' }),
}

/** What of the block `model` describes models. */
export type FactsConfig = z.infer<z.ZodObject<typeof factsConfig>> & {
  readonly provider: string
  readonly default: string
}
