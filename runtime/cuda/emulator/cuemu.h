// CUDA's execution model on one CPU thread: enough of it to run the kernels of ../kernels as they are.
//
// Each thread of a block is a fiber. A fiber runs until it ends or meets an operation of its warp or its block, and then the
// next one runs; so every operation sees what all of its threads brought. Blocks run one after the other.
//
// What this shows: every value, every access (under the sanitizers), barriers that not all threads reach. What it cannot show:
// races between threads, since only one runs at a time, memory ordering, and speed.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __noinline__
#define __launch_bounds__(...)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

namespace emulator {

constexpr unsigned WARP_SIZE = 32;
constexpr size_t STACK_BYTES = 64 * 1024;

struct Fiber {
    ucontext_t start;
    jmp_buf at;
    std::unique_ptr<char[]> stack;
    dim3 index;
    bool begun = false;
    bool ended = false;
    // How many operations of its warp and of its block it has met.
    unsigned warp_operations = 0;
    unsigned block_operations = 0;
};

// What the lanes of a warp brought to one operation; a lane that had ended before brought nothing, which reads as 0.
struct Operation {
    unsigned number;
    unsigned present;
    unsigned brought[WARP_SIZE];
};

// The newest operations of a warp. Two of them, since a lane may meet the next before all have read the last.
struct Exchange {
    Operation operations[2];
};

struct Block {
    dim3 index, size, grid;
    std::vector<Fiber> fibers;
    std::vector<Exchange> exchanges;
    std::function<void()> kernel;
    jmp_buf scheduler;
    unsigned current = 0;
};

inline thread_local Block* block = nullptr;

inline Fiber& fiber() { return block->fibers[block->current]; }

inline void yield() {
    if (_setjmp(fiber().at) == 0) _longjmp(block->scheduler, 1);
}

inline void entry() {
    block->kernel();
    fiber().ended = true;
    _longjmp(block->scheduler, 1);
}

// Whether every fiber of a range that has not ended has met as many operations as `met` says.
inline bool arrived(unsigned from, unsigned to, unsigned Fiber::*operations, unsigned met) {
    for (unsigned at = from; at < to; at++) {
        const Fiber& other = block->fibers[at];
        if (!other.ended && other.*operations < met) return false;
    }
    return true;
}

// Brings a value to the next operation of the warp and returns what all lanes brought.
inline const Operation& exchange(unsigned value) {
    unsigned warp = block->current / WARP_SIZE, lane = block->current % WARP_SIZE;
    unsigned from = warp * WARP_SIZE;
    unsigned to = std::min<unsigned>(from + WARP_SIZE, block->fibers.size());
    unsigned met = ++fiber().warp_operations;
    Operation& operation = block->exchanges[warp].operations[met % 2];
    if (operation.number != met) operation = Operation{met, 0, {}};
    operation.present |= 1u << lane;
    operation.brought[lane] = value;
    while (!arrived(from, to, &Fiber::warp_operations, met)) yield();
    return operation;
}

inline void barrier() {
    unsigned met = ++fiber().block_operations;
    while (!arrived(0, block->fibers.size(), &Fiber::block_operations, met)) yield();
}

// Runs fibers in turn until all have ended. A turn in which nothing moves is a barrier that some thread never reaches.
inline void run_block() {
    bool running = true;
    while (running) {
        running = false;
        bool moved = false;
        for (unsigned at = 0; at < block->fibers.size(); at++) {
            Fiber& one = block->fibers[at];
            if (one.ended) continue;
            running = true;
            unsigned before = one.warp_operations + one.block_operations;
            bool begun = one.begun;
            block->current = at;
            if (_setjmp(block->scheduler) == 0) {
                if (begun) _longjmp(one.at, 1);
                one.begun = true;
                setcontext(&one.start);
            }
            moved |= !begun || one.ended || before != one.warp_operations + one.block_operations;
        }
        if (running && !moved) {
            fprintf(stderr, "emulator: deadlock: some thread never reaches a barrier that others wait at\n");
            abort();
        }
    }
}

inline void launch(dim3 grid, dim3 size, std::function<void()> kernel) {
    Block one;
    unsigned threads = size.x * size.y * size.z;
    one.size = size;
    one.grid = grid;
    one.kernel = std::move(kernel);
    one.fibers.resize(threads);
    one.exchanges.resize((threads + WARP_SIZE - 1) / WARP_SIZE);
    for (Fiber& fiber : one.fibers) fiber.stack.reset(new char[STACK_BYTES]);
    for (unsigned y = 0; y < grid.y; y++) {
        for (unsigned x = 0; x < grid.x; x++) {
            one.index = dim3{x, y, 0};
            std::fill(one.exchanges.begin(), one.exchanges.end(), Exchange{});
            for (unsigned at = 0; at < threads; at++) {
                Fiber& fiber = one.fibers[at];
                fiber.index = dim3{at % size.x, at / size.x, 0};
                fiber.begun = fiber.ended = false;
                fiber.warp_operations = fiber.block_operations = 0;
                getcontext(&fiber.start);
                fiber.start.uc_stack.ss_sp = fiber.stack.get();
                fiber.start.uc_stack.ss_size = STACK_BYTES;
                fiber.start.uc_link = nullptr;
                makecontext(&fiber.start, entry, 0);
            }
            block = &one;
            run_block();
            block = nullptr;
        }
    }
}

}  // namespace emulator

#define threadIdx (emulator::fiber().index)
#define blockIdx (emulator::block->index)
#define blockDim (emulator::block->size)
#define gridDim (emulator::block->grid)

inline void __syncthreads() { emulator::barrier(); }
inline void __syncwarp() { emulator::exchange(0); }
inline void __threadfence() {}
inline unsigned __shfl_sync(unsigned, unsigned value, unsigned lane) { return emulator::exchange(value).brought[lane]; }
inline unsigned __ballot_sync(unsigned, unsigned predicate) {
    const emulator::Operation& operation = emulator::exchange(predicate != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < emulator::WARP_SIZE; lane++) bits |= operation.brought[lane] << lane;
    return bits;
}
inline bool __all_sync(unsigned, unsigned predicate) {
    const emulator::Operation& operation = emulator::exchange(predicate != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < emulator::WARP_SIZE; lane++) bits |= operation.brought[lane] << lane;
    return bits == operation.present;
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __uint_as_float(unsigned bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
inline unsigned __float_as_uint(float value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline unsigned atomicOr(unsigned* at, unsigned bits) { return std::exchange(*at, *at | bits); }
inline unsigned atomicAnd(unsigned* at, unsigned bits) { return std::exchange(*at, *at & bits); }
inline unsigned atomicAdd(unsigned* at, unsigned more) { return std::exchange(*at, *at + more); }
inline unsigned long long atomicMax(unsigned long long* at, unsigned long long other) {
    return std::exchange(*at, std::max(*at, other));
}
inline unsigned long long atomicExch(unsigned long long* at, unsigned long long other) { return std::exchange(*at, other); }
