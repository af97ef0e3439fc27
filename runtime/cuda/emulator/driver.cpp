// A CUDA driver without a device: the functions of libcuda that grammarc calls, with the emulator behind them.
//
// A program that is pointed to this library (GRAMMARC_CUDA_DRIVER) runs all of its own code: the search for the driver, the
// module, the pool, launches, streams and graphs. Device memory is memory of the process, so a sanitizer sees every access.
// Like the driver, it refuses what must not happen while a stream is captured.
#include <sys/mman.h>

#include <chrono>
#include <map>

#include "cuemu.h"

#include "grammarc.cu"

typedef int Result;
typedef unsigned long long Pointer;
enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, BAD_IMAGE = 200, CAPTURING = 900 };

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Kernel {
    const char* name;
    size_t size;
    void (*run)(const void* params);
};

template <class Params, void (*KERNEL)(Params)>
void unpacked(const void* params) {
    Params copy;
    memcpy((void*)&copy, params, sizeof copy);
    KERNEL(copy);
}

const Kernel KERNELS[] = {
    {"grammarc_apply", sizeof(ApplyParams), unpacked<ApplyParams, grammarc_apply>},
    {"grammarc_apply_bitmask", sizeof(BitmaskParams), unpacked<BitmaskParams, grammarc_apply_bitmask>},
    {"grammarc_fill", sizeof(FillParams), unpacked<FillParams, grammarc_fill>},
    {"grammarc_advance", sizeof(AdvanceParams), unpacked<AdvanceParams, grammarc_advance>},
    {"grammarc_draft", sizeof(AdvanceParams), unpacked<AdvanceParams, grammarc_draft>},
    {"grammarc_sample", sizeof(SampleParams), unpacked<SampleParams, grammarc_sample>},
};

struct Launch {
    const Kernel* kernel;
    dim3 grid, size;
    std::vector<char> params;

    void run() const {
        emulator::launch(grid, size, [this] { kernel->run(params.data()); });
    }
};

struct Graph {
    std::vector<Launch> launches;
};

struct Event {
    std::chrono::steady_clock::time_point at;
};

// The graph that a capture adds to, and the context that is current. The library is for one thread at a time.
Graph* captured = nullptr;
int current = 0;
size_t allocated = 0;
const size_t MOST = (size_t)8 << 30;
const size_t GRANULE = 2 << 20;

std::map<Pointer, size_t> owned;

Result allocate(Pointer* at, size_t bytes) {
    if (allocated + bytes > MOST) return OUT_OF_MEMORY;
    void* memory = nullptr;
    if (posix_memalign(&memory, 256, bytes) != 0) return OUT_OF_MEMORY;
    // Memory of a device holds whatever it held before.
    memset(memory, 0xa5, bytes);
    *at = (Pointer)memory;
    owned[*at] = bytes;
    allocated += bytes;
    return OK;
}

}  // namespace

EXPORTED Result cuInit(unsigned) { return OK; }
EXPORTED Result cuDriverGetVersion(int* version) { return *version = 12010, OK; }
EXPORTED Result cuDeviceGetCount(int* count) { return *count = 1, OK; }
EXPORTED Result cuDeviceGet(int* device, int ordinal) { return ordinal == 0 ? (*device = 0, OK) : 101; }
EXPORTED Result cuDeviceGetName(char* name, int room, int) { return snprintf(name, room, "grammarc emulator"), OK; }
EXPORTED Result cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 75 ? 8 : attribute == 76 ? 0 : attribute == 102 ? 1 : 1;
    return OK;
}
EXPORTED Result cuDevicePrimaryCtxRetain(void** context, int) { return *context = &current, OK; }
EXPORTED Result cuDevicePrimaryCtxRelease_v2(int) { return OK; }
EXPORTED Result cuCtxGetCurrent(void** context) { return *context = current ? &current : nullptr, OK; }
EXPORTED Result cuCtxPushCurrent_v2(void*) { return current++, OK; }
EXPORTED Result cuCtxPopCurrent_v2(void** context) { return current--, *context = &current, OK; }
EXPORTED Result cuCtxGetDevice(int* device) { return *device = 0, OK; }
EXPORTED Result cuGetErrorName(Result status, const char** name) {
    *name = status == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : status == CAPTURING ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" : "CUDA_ERROR";
    return OK;
}
EXPORTED Result cuGetErrorString(Result, const char** text) { return *text = "the emulator refuses it", OK; }

EXPORTED Result cuModuleLoadData(void** module, const void* image) {
    if (!strstr((const char*)image, ".version 8.1")) return BAD_IMAGE;
    return *module = (void*)KERNELS, OK;
}
EXPORTED Result cuModuleUnload(void*) { return OK; }
EXPORTED Result cuModuleGetFunction(void** function, void*, const char* name) {
    for (const Kernel& kernel : KERNELS) {
        if (!strcmp(kernel.name, name)) return *function = (void*)&kernel, OK;
    }
    return NOT_FOUND;
}

EXPORTED Result cuMemAlloc_v2(Pointer* at, size_t bytes) { return captured ? (Result)CAPTURING : allocate(at, bytes); }
EXPORTED Result cuMemFree_v2(Pointer at) {
    if (captured) return CAPTURING;
    auto found = owned.find(at);
    if (found == owned.end()) return INVALID;
    allocated -= found->second;
    owned.erase(found);
    free((void*)at);
    return OK;
}
EXPORTED Result cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t bytes, void*) {
    return captured ? (Result)CAPTURING : (memcpy((void*)to, from, bytes), (Result)OK);
}
EXPORTED Result cuMemcpyDtoHAsync_v2(void* to, Pointer from, size_t bytes, void*) {
    return captured ? (Result)CAPTURING : (memcpy(to, (const void*)from, bytes), (Result)OK);
}
EXPORTED Result cuMemsetD32Async(Pointer at, unsigned value, size_t count, void*) {
    if (captured) return CAPTURING;
    std::fill_n((unsigned*)at, count, value);
    return OK;
}

// Memory that grows in place: a range of addresses, of which granules are made readable one after the other.
EXPORTED Result cuMemGetAllocationGranularity(size_t* granule, const void*, int) { return *granule = GRANULE, OK; }
EXPORTED Result cuMemAddressReserve(Pointer* at, size_t bytes, size_t, Pointer, unsigned long long) {
    void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? (Result)OUT_OF_MEMORY : (*at = (Pointer)range, (Result)OK);
}
EXPORTED Result cuMemAddressFree(Pointer at, size_t bytes) { return munmap((void*)at, bytes) == 0 ? OK : INVALID; }
EXPORTED Result cuMemCreate(unsigned long long* handle, size_t bytes, const void*, unsigned long long) {
    if (captured) return CAPTURING;
    if (bytes % GRANULE != 0) return INVALID;
    if (allocated + bytes > MOST) return OUT_OF_MEMORY;
    allocated += bytes;
    return *handle = bytes, OK;
}
EXPORTED Result cuMemMap(Pointer, size_t bytes, size_t, unsigned long long handle, unsigned long long) {
    return bytes == handle ? OK : INVALID;
}
EXPORTED Result cuMemSetAccess(Pointer at, size_t bytes, const void*, size_t) {
    return mprotect((void*)at, bytes, PROT_READ | PROT_WRITE) == 0 ? OK : INVALID;
}
EXPORTED Result cuMemUnmap(Pointer at, size_t bytes) { return mprotect((void*)at, bytes, PROT_NONE) == 0 ? OK : INVALID; }
EXPORTED Result cuMemRelease(unsigned long long handle) { return allocated -= handle, OK; }

EXPORTED Result cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                               unsigned, void*, void** params, void**) {
    if (gx == 0 || gy == 0 || gz != 1 || gy > 65535 || bx * by * bz > 1024) return INVALID;
    const Kernel* kernel = (const Kernel*)function;
    const char* bytes = (const char*)params[0];
    Launch launch{kernel, dim3{gx, gy, gz}, dim3{bx, by, bz}, std::vector<char>(bytes, bytes + kernel->size)};
    if (captured) {
        captured->launches.push_back(std::move(launch));
    } else {
        launch.run();
    }
    return OK;
}

EXPORTED Result cuStreamCreate(void** stream, unsigned) { return *stream = &current, OK; }
EXPORTED Result cuStreamDestroy_v2(void*) { return OK; }
EXPORTED Result cuStreamSynchronize(void*) { return captured ? CAPTURING : OK; }
EXPORTED Result cuStreamBeginCapture_v2(void*, int) { return captured ? (Result)INVALID : (captured = new Graph, (Result)OK); }
EXPORTED Result cuStreamEndCapture(void*, void** graph) { return *graph = std::exchange(captured, nullptr), OK; }
EXPORTED Result cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) { return *made = graph, OK; }
EXPORTED Result cuGraphLaunch(void* graph, void*) {
    for (const Launch& launch : ((Graph*)graph)->launches) launch.run();
    return OK;
}
EXPORTED Result cuGraphExecDestroy(void* graph) { return delete (Graph*)graph, OK; }
EXPORTED Result cuGraphDestroy(void*) { return OK; }
EXPORTED Result cuEventCreate(void** event, unsigned) { return *event = new Event, OK; }
EXPORTED Result cuEventDestroy_v2(void* event) { return delete (Event*)event, OK; }
EXPORTED Result cuEventRecord(void* event, void*) { return ((Event*)event)->at = std::chrono::steady_clock::now(), OK; }
EXPORTED Result cuEventSynchronize(void*) { return OK; }
EXPORTED Result cuEventElapsedTime(float* milliseconds, void* from, void* to) {
    std::chrono::duration<float, std::milli> passed = ((Event*)to)->at - ((Event*)from)->at;
    return *milliseconds = passed.count(), OK;
}

// The Gumbel numbers of random words: the kernels in Triton have to give the same, one by one.
EXPORTED void gumbels(const u32* random, float* made, u32 count) {
    for (u32 at = 0; at < count; at++) made[at] = gumbel(random[at]);
}
