/*
 * grammarc as a sampler of llama.cpp.
 *
 *     struct llama_sampler *grammar = grammarc_llama_sampler(llama_sampler_init, matcher);
 *     llama_sampler_chain_add(chain, grammar);
 *
 * Nothing of llama.cpp is linked: you pass in llama_sampler_init. This header works with and without llama.h, in any order.
 *
 * - Put the sampler before samplers that cut the list of candidates (top-k, top-p, min-p). Otherwise no allowed token may remain.
 * - The matcher's end tokens must be all ids for which llama_vocab_is_eog() is true, and its logit width must be
 *   llama_vocab_n_tokens().
 * - Let the sampler see only generated tokens. The grammar does not cover the prompt.
 * - Candidates are identified by id. The logits of forbidden candidates become negative infinity, and the list then counts as
 *   unsorted.
 * - After a forbidden token is accepted, only end tokens are allowed until llama_sampler_reset().
 *   grammarc_llama_sampler_status() returns the status of that token.
 * - llama_sampler_clone() forks the matcher, and llama_sampler_reset() resets it.
 */
#ifndef GRAMMARC_LLAMA_H
#define GRAMMARC_LLAMA_H

#include "grammarc.h"

#ifdef __cplusplus
extern "C" {
#endif

struct llama_sampler;
struct llama_sampler_i;

/** llama_sampler_init() of llama.cpp. */
typedef struct llama_sampler *(*grammarc_llama_init)(struct llama_sampler_i *iface, void *context);

/**
 * Makes a sampler at the position of `matcher`. The matcher is forked and stays the caller's.
 *
 * `init` is llama_sampler_init. The sampler is freed by llama_sampler_free(), or by the chain that contains it. NULL if `init` or
 * `matcher` is NULL, or if another thread uses the matcher.
 */
struct llama_sampler *grammarc_llama_sampler(grammarc_llama_init init, const grammarc_matcher *matcher);

/**
 * Returns GRAMMARC_OK while all accepted tokens were allowed, and then the status of the first forbidden one. From that token on,
 * the sampler allows only end tokens. GRAMMARC_ARGUMENT for NULL, and for another kind of sampler.
 */
grammarc_status grammarc_llama_sampler_status(const struct llama_sampler *sampler);

/**
 * Returns the matcher of a sampler, for queries of its position. The sampler owns the matcher, which lives as long as the sampler.
 * NULL for NULL, and for another kind of sampler.
 */
const grammarc_matcher *grammarc_llama_sampler_matcher(const struct llama_sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif /* GRAMMARC_LLAMA_H */
