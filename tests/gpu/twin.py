"""The Triton twin on a device: masks of a bitmask in all types of logits against torch's own, and their times."""

from __future__ import annotations

import torch
from grammarc.kernels import triton as kernels


def main() -> None:
    torch.manual_seed(7)
    rows, width = 256, 128_256
    words = (width + 31) // 32
    bitmask = torch.randint(-(2**31), 2**31 - 1, (rows, words), dtype=torch.int32, device="cuda")
    bits = torch.arange(32, device="cuda", dtype=torch.int32)
    allowed = ((bitmask[:, :, None] >> bits) & 1).bool().reshape(rows, -1)[:, :width]
    wrong, times = 0, []
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        logits = torch.randn((rows, width), device="cuda").to(dtype)
        expected = logits.masked_fill(~allowed, float("-inf"))
        kernels.apply_bitmask(logits, bitmask, tokens=width)
        wrong += int((logits != expected).sum())
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(50):
            kernels.apply_bitmask(logits, bitmask, tokens=width)
        end.record()
        torch.cuda.synchronize()
        times.append(f"{dtype}: {begin.elapsed_time(end) * 20:.1f} µs")
    print(f"{wrong} wrong of {3 * rows * width}; {', '.join(times)}")


if __name__ == "__main__":
    main()
