/*
 * grammarc as a sampler of llama.cpp.
 *
 *     struct llama_sampler *grammar = grammarc_llama_sampler(llama_sampler_init, matcher);
 *     llama_sampler_chain_add(chain, grammar);
 *
 * Nothing of llama.cpp is linked: its llama_sampler_init is passed in. This header needs no other of llama.cpp's and goes along
 * with llama.h in any order.
 *
 * - Put it before samplers that cut the list of candidates (top-k, top-p, min-p): what they leave may have no allowed token.
 * - Give the matcher the model's end-of-generation tokens, every id for which llama_vocab_is_eog() is true, as its end tokens,
 *   and llama_vocab_n_tokens() as its logit width.
 * - Let the sampler see generated tokens alone: a prompt's tokens are none of the grammar.
 * - Candidates are told by their id. Forbidden ones get a logit of negative infinity, and the list counts as unsorted then.
 * - A token that is accepted without being allowed leaves end tokens alone allowed, until llama_sampler_reset():
 *   grammarc_llama_sampler_status() says so. A sequence never goes on without its grammar.
 * - llama_sampler_clone() forks the matcher, llama_sampler_reset() goes back to the start.
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
 * A sampler at the position of `matcher`, which is forked and stays the caller's. Freed by llama_sampler_free() or by the chain
 * that it is added to. NULL where `init` or `matcher` is, and where another thread uses the matcher.
 */
struct llama_sampler *grammarc_llama_sampler(grammarc_llama_init init, const grammarc_matcher *matcher);

/**
 * GRAMMARC_OK as long as all tokens that the sampler accepted were allowed; else the status of the first that was not.
 * GRAMMARC_ARGUMENT for a sampler of another kind, and for NULL.
 */
grammarc_status grammarc_llama_sampler_status(const struct llama_sampler *sampler);

/**
 * The matcher of a sampler, to be asked where it is and not to be freed. Lives as long as the sampler. NULL for a sampler of
 * another kind, and for NULL.
 */
const grammarc_matcher *grammarc_llama_sampler_matcher(const struct llama_sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif /* GRAMMARC_LLAMA_H */
