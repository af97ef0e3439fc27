// The kernels of grammarc: masks applied, positions advanced and tokens sampled where the logits are.
//
// | kernel | reads | writes |
// | --- | --- | --- |
// | grammarc_apply | the pool, rows of parts | logits that are not allowed |
// | grammarc_apply_bitmask | a host's bitmask | logits that are not allowed |
// | grammarc_fill | the pool, rows of parts | a host's bitmask |
// | grammarc_advance | the pool, tokens | positions and rows of slots |
// | grammarc_draft | the pool, draft tokens | positions and rows after each draft |
// | grammarc_sample | the pool, rows of parts, logits | tokens; positions and rows of slots where it is to advance |
//
// Every kernel takes one struct by value. None allocates, none waits for the host, and none needs a header of the toolkit, so
// the same text is compiled by NVRTC for devices (ptx.py) and by a C++ compiler for the emulator of the tests.
#include "layout.cuh"
#include "masks.cuh"
#include "apply.cuh"
#include "advance.cuh"
#include "sample.cuh"
