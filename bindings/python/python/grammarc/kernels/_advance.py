# mypy: ignore-errors
# Functions of the language of Triton, which a checker of Python does not know.
"""Positions advanced by tokens: a program, of one warp, for each sequence.

The runtime's way through a token while there is one configuration and nothing to choose, as ``runtime/cuda/kernels/advance.cuh``
has it, with the same results. The stack is in registers, a frame for each lane: a frame is read by a sum over all lanes of which
only its own is not zero. What is not decided here is left to the host: the position stays, its status says so, and its row is
pending.

Functions of Triton return at their end only, so loops go on while nothing has been found out (``ran``).
"""

import triton
import triton.language as tl

from grammarc.kernels._masks import MASKED, NONE, PART_COUNT, PARTS, PENDING, ROW, list_has, load

# Flags of a state.
FINAL = tl.constexpr(1)
POP_ONLY = tl.constexpr(2)
RESTS = tl.constexpr(4)
ABSORBING = tl.constexpr(8)
HAS_ROW = tl.constexpr(16)
COUNTED = tl.constexpr(32)
LOOPS = tl.constexpr(64)
STEP = tl.constexpr(128)

CLEARS = tl.constexpr(16)
"""Flag of a counted state."""

# Kinds of moves.
REFUSED = tl.constexpr(0)
GO = tl.constexpr(1)
ARRIVE = tl.constexpr(2)
CALL = tl.constexpr(3)

# What became of the bytes of a token.
RAN = tl.constexpr(0)
RAN_REFUSED = tl.constexpr(1)
RAN_OPEN = tl.constexpr(2)

STATUS_HOST = tl.constexpr(1)
STATUS_REFUSED = tl.constexpr(2)
STATUS_FINISHED = tl.constexpr(4)

POSITION = tl.constexpr(72)
"""Words of a position."""
FRAMES = tl.constexpr(32)
RETURNS = tl.constexpr(8)
COUNTS = tl.constexpr(40)

ROW_PARTS = tl.constexpr(13)
ROW_LANES = tl.constexpr(16)


@triton.jit
def home_of(pool, grammar, state):
    """The half that a state is of, and the id of the half's first state."""
    first_own = load(pool, grammar)
    own = state >= first_own
    return grammar + tl.where(own, 16, 8), tl.where(own, first_own, 0)


@triton.jit
def state_at(pool, half, base, state):
    return load(pool, half) + 3 * (state - base)


@triton.jit
def flags_of(pool, grammar, state):
    half, base = home_of(pool, grammar, state)
    return load(pool, state_at(pool, half, base, state)) >> 16


@triton.jit
def byte_of(pool, base, byte):
    """A byte of those that begin at word ``base``."""
    return (load(pool, base + (byte >> 2)) >> ((byte & 3) * 8)) & 0xFF


@triton.jit
def move_on(pool, half, at, byte):
    """What a byte does in the state whose words are at ``at``."""
    word = load(pool, at)
    move = byte * 0
    if ((word & 0xFF) <= byte) & (byte <= ((word >> 8) & 0xFF)):
        move = load(pool, at + 1)
    elif ((word >> 16) & HAS_ROW) != 0:
        row_class = byte_of(pool, load(pool, half + 1), byte)
        move = load(pool, load(pool, half + 2) + load(pool, at + 2) + row_class)
    return move


@triton.jit
def entry(stack, frame):
    """An entry of a stack."""
    return tl.sum(tl.where(tl.arange(0, FRAMES) == frame, stack, 0), axis=0)


@triton.jit
def enter(pool, grammar, state, count):
    """Arrival at a state by a transition: the register is lowered, and at zero leads elsewhere."""
    half, base = home_of(pool, grammar, state)
    if ((load(pool, state_at(pool, half, base, state)) >> 16) & COUNTED) != 0:
        index = state - base
        counted = load(pool, half + 4)
        low = state * 0
        length = load(pool, half + 5)
        high = length
        while low < high:
            middle = low + ((high - low) >> 1)
            less = load(pool, counted + 3 * middle) < index
            low = tl.where(less, middle + 1, low)
            high = tl.where(less, high, middle)
        found = counted + 3 * low
        there = low < length
        if there:
            there = load(pool, found) == index
        if there:
            flags = load(pool, found + 2)
            lowered = tl.where(count == 0, 0, count - 1)
            if (flags & CLEARS) != 0:
                lowered = count & ((1 << ((flags >> 8) & 31)) ^ -1)
            if lowered == 0:
                state = load(pool, found + 1)
            count = lowered
    return state, count


@triton.jit
def takes_below(pool, grammar, depth, finals, returns, byte):
    """Whether some state that the stack may return to takes a byte, or may."""
    takes = depth * 0
    frame = depth
    while frame > 0:
        frame = frame - 1
        state = entry(returns, frame)
        half, base = home_of(pool, grammar, state)
        if move_on(pool, half, state_at(pool, half, base, state), byte) != 0:
            takes = takes + 1
            frame = frame * 0
        elif ((finals >> frame) & 1) == 0:
            frame = frame * 0
    return takes != 0


@triton.jit
def run(pool, grammar, text, first, length, state, count, depth, finals, rests, returns, counts):
    """Follows ``length`` bytes, from byte ``first`` of word ``text`` on, from a configuration."""
    lane = tl.arange(0, FRAMES)
    read = length * 0
    ran = length * 0
    while (read < length) & (ran == RAN):
        byte = byte_of(pool, text, first + read)
        half, base = home_of(pool, grammar, state)
        at = state_at(pool, half, base, state)
        word = load(pool, at)
        flags = word >> 16
        move = move_on(pool, half, at, byte)
        steps = ((flags & STEP) != 0) & ((word & 0xFF) <= byte) & (byte <= ((word >> 8) & 0xFF))
        leaves = (steps == 0) & ((flags & FINAL) != 0) & (depth > 0)
        if leaves & (move == 0):
            depth = depth - 1
            state = entry(returns, depth)
            count = entry(counts, depth)
        else:
            if leaves:
                if takes_below(pool, grammar, depth, finals, returns, byte):
                    ran = ran + RAN_OPEN
            if ran == RAN:
                kind = (move >> 29) & 7
                index = move & 0x1FFFFFFF
                if kind == GO:
                    state = base + index
                    read = read + 1
                elif kind == ARRIVE:
                    state, count = enter(pool, grammar, base + index, count)
                    read = read + 1
                    lonely = flags_of(pool, grammar, state) & POP_ONLY
                    while (depth > 0) & (lonely != 0):
                        depth = depth - 1
                        state = entry(returns, depth)
                        count = entry(counts, depth)
                        lonely = flags_of(pool, grammar, state) & POP_ONLY
                elif kind == CALL:
                    called = load(pool, half + 3) + 3 * index
                    back = load(pool, called + 1)
                    if back != NONE:
                        # A tail call has the caller's frame, and where another frame of an absorbing state would change
                        # nothing, its parent is the frame.
                        back, register = enter(pool, grammar, back, count)
                        back_flags = flags_of(pool, grammar, back)
                        same = (entry(returns, depth - 1) == back) & (entry(counts, depth - 1) == register)
                        absorbed = ((back_flags & ABSORBING) != 0) & (depth > 0) & same
                        if absorbed == 0:
                            if depth == FRAMES:
                                ran = ran + RAN_OPEN
                            else:
                                returns = tl.where(lane == depth, back, returns)
                                counts = tl.where(lane == depth, register, counts)
                                bit = 1 << depth
                                finals = tl.where((back_flags & FINAL) != 0, finals | bit, finals & (bit ^ -1))
                                rests = tl.where((back_flags & RESTS) != 0, rests | bit, rests & (bit ^ -1))
                                depth = depth + 1
                    state = load(pool, called)
                    count = load(pool, called + 2)
                elif kind == REFUSED:
                    ran = ran + RAN_REFUSED
                else:
                    ran = ran + RAN_OPEN
    return ran, state, count, depth, finals, rests, returns, counts


@triton.jit
def all_of(bits, depth):
    """Whether the lowest ``depth`` bits are set."""
    below = tl.where(depth >= 32, -1, (1 << (depth & 31)) - 1)
    return (bits & below) == below


@triton.jit
def link_of(pool, grammar, state, exit_class):
    """The offset of a state's link for an exit class, or NONE."""
    half, base = home_of(pool, grammar, state)
    head = load(pool, half + 6) + 4 * (state - base)
    links = load(pool, half + 7)
    low = load(pool, head + 2)
    end = load(pool, head + 6)
    high = end
    while low < high:
        middle = low + ((high - low) >> 1)
        less = load(pool, links + 3 * middle) < exit_class
        low = tl.where(less, middle + 1, low)
        high = tl.where(less, high, middle)
    link = state * 0 + NONE
    if low < end:
        if load(pool, links + 3 * low) == exit_class:
            link = links + 3 * low
    return link


@triton.jit
def add_part(row, parts, mask):
    """A row with a mask added, unless it is there already, or has no room."""
    lane = tl.arange(0, ROW_LANES)
    there = tl.sum(((lane >= PARTS) & (lane < parts + PARTS) & (row == mask)).to(tl.int32), axis=0) != 0
    adds = (mask != NONE) & (there == 0) & (parts < ROW_PARTS)
    fits = (mask == NONE) | there | adds
    row = tl.where(adds & (lane == parts + PARTS), mask, row)
    return row, parts + adds.to(tl.int32), fits


@triton.jit
def row_of(pool, grammar, state, depth, finals, returns):
    """What a position allows: the base mask of its state, and down its stack the follow mask of each return state, for as long
    as a token can leave the rule above it. Not ``fits`` where there are more masks than a row names."""
    half, base = home_of(pool, grammar, state)
    head = load(pool, half + 6) + 4 * (state - base)
    row = tl.zeros([ROW_LANES], dtype=tl.int32)
    row, parts, fits = add_part(row, state * 0, load(pool, head))
    exit_class = load(pool, head + 1)
    frame = depth
    while fits & (exit_class != NONE) & (frame > 0):
        frame = frame - 1
        link = link_of(pool, grammar, entry(returns, frame), exit_class)
        if link == NONE:
            frame = frame * 0
        else:
            row, parts, fits = add_part(row, parts, load(pool, link + 1))
            exit_class = load(pool, link + 2)
    ends = ((flags_of(pool, grammar, state) & FINAL) != 0) & all_of(finals, depth)
    ends_length = tl.where(ends, load(pool, grammar + 3), 0)
    return row, parts, fits, ends_length


@triton.jit
def take(pool, source, token, target, row_at):
    """Reads one token from the position at ``source``, writes the position and the row after it to ``target`` and ``row_at``,
    and returns the status. ``source`` may be ``target``."""
    lane = tl.arange(0, FRAMES)
    grammar = tl.load(source)
    state = tl.load(source + 1)
    count = tl.load(source + 2)
    depth = tl.load(source + 3)
    finals = tl.load(source + 4)
    rests = tl.load(source + 5)
    returns = tl.load(source + RETURNS + lane, mask=lane < depth, other=0)
    counts = tl.load(source + COUNTS + lane, mask=lane < depth, other=0)
    status = tl.load(source + 6) & (STATUS_REFUSED ^ -1)
    known = token < load(pool, grammar + 6)
    if status == 0:
        edges = load(pool, grammar + 4)
        if (edges != NONE) & known:
            if ((load(pool, edges + (token >> 5)) >> (token & 31)) & 1) != 0:
                status = status + STATUS_HOST
        if status == 0:
            # The text, as a word of the pool and a byte from there on.
            text = load(pool, grammar + 5) + 2 * token
            first = token * 0 + 1
            length = token * 0
            plain = token * 0
            if known:
                head = load(pool, text)
                plain = head & 0x80
                length = head & 0x7F
                if length == 0x7F:
                    length = (head >> 8) & 0xFFFFFF
                    first = load(pool, text + 1)
                    text = load(pool, grammar + 7)
            ran = token * 0
            after, register, height = state, count, depth
            new_finals, new_rests, new_returns, new_counts = finals, rests, returns, counts
            if ((plain != 0) & ((flags_of(pool, grammar, state) & LOOPS) != 0)) == 0:
                if length == 0:
                    ran = ran + RAN_REFUSED
                else:
                    ran, after, register, height, new_finals, new_rests, new_returns, new_counts = run(
                        pool, grammar, text, first, length, state, count, depth, finals, rests, returns, counts
                    )
            if ran == RAN:
                if (((flags_of(pool, grammar, after) & RESTS) != 0) & all_of(new_rests, height)) == 0:
                    ran = ran + RAN_REFUSED
            if ran == RAN:
                state, count, depth = after, register, height
                finals, rests, returns, counts = new_finals, new_rests, new_returns, new_counts
            elif ran == RAN_OPEN:
                status = status + STATUS_HOST
            else:
                is_end = list_has(pool, load(pool, grammar + 2), load(pool, grammar + 3), token)
                accepts = ((flags_of(pool, grammar, state) & FINAL) != 0) & all_of(finals, depth)
                status = tl.where(is_end & accepts, STATUS_FINISHED, STATUS_REFUSED)
    elif status == STATUS_FINISHED:
        status = status | STATUS_REFUSED

    lanes = tl.arange(0, ROW_LANES)
    row = tl.zeros([ROW_LANES], dtype=tl.int32)
    parts = token * 0
    kind = token * 0 + MASKED
    ends_length = load(pool, grammar + 3)
    if (status & STATUS_FINISHED) == 0:
        if (status & STATUS_HOST) != 0:
            kind = kind | PENDING
            ends_length = ends_length * 0
        else:
            row, parts, fits, ends_length = row_of(pool, grammar, state, depth, finals, returns)
            if fits:
                kind = kind | parts
            else:
                kind = kind | PENDING
                parts = parts * 0
                status = status | STATUS_HOST
    row = tl.where(lanes == 0, kind, row)
    row = tl.where(lanes == 1, load(pool, grammar + 2), row)
    row = tl.where(lanes == 2, ends_length, row)
    # Lanes write what others have read, and read what others have written.
    tl.debug_barrier()
    tl.store(row_at + lanes, row, mask=lanes < parts + PARTS)
    tl.store(target + RETURNS + lane, returns, mask=lane < depth)
    tl.store(target + COUNTS + lane, counts, mask=lane < depth)
    tl.store(target, grammar)
    tl.store(target + 1, state)
    tl.store(target + 2, count)
    tl.store(target + 3, depth)
    tl.store(target + 4, finals)
    tl.store(target + 5, rests)
    tl.store(target + 6, status)
    return status


@triton.jit
def advance_kernel(pool, positions, rows, statuses, places, slots, tokens, token_stride, accepted):
    """Grid: sequences."""
    at = tl.program_id(0)
    slot = at
    if slots is not None:
        slot = tl.load(slots + at).to(tl.int32)
    if slot >= 0:
        token = tl.load(tokens + at.to(tl.int64) * token_stride).to(tl.int32)
        drafts = at * 0
        if accepted is not None:
            drafts = tl.load(accepted + at).to(tl.int32)
        base = slot.to(tl.int64) * places
        target = positions + base * POSITION
        row = rows + base * ROW
        if (token >= 0) & (tl.load(target) != NONE) & (drafts >= 0) & (drafts < places):
            source = target + drafts * POSITION
            found = tl.load(source + 6)
            if (drafts > 0) & ((found & STATUS_REFUSED) != 0):
                # More drafts than are allowed: the position stays, and is lost where the host has to find the one of a draft.
                status = tl.load(target + 6) | found
                tl.store(target + 6, status)
                if (status & STATUS_HOST) != 0:
                    tl.store(row, MASKED | PENDING)
                tl.store(statuses + slot, status)
            else:
                status = take(pool, source, token, target, row)
                tl.store(statuses + slot, status)


@triton.jit
def draft_kernel(pool, positions, rows, places, slots, tokens, token_stride, drafts, allowed):
    """Grid: sequences. Positions and rows after each draft, up to the first that is not allowed: from there on the status says
    so, and the rows are as that one's."""
    at = tl.program_id(0)
    slot = at
    if slots is not None:
        slot = tl.load(slots + at).to(tl.int32)
    if slot >= 0:
        base = slot.to(tl.int64) * places
        position = positions + base * POSITION
        row = rows + base * ROW
        grammar = tl.load(position)
        if grammar != NONE:
            lanes = tl.arange(0, ROW_LANES)
            taken = at * 0
            draft = at * 0
            while draft < drafts:
                token = tl.load(tokens + at.to(tl.int64) * token_stride + draft).to(tl.int32)
                before = tl.load(position + 6)
                is_open = (taken == draft) & ((before & STATUS_HOST) == 0)
                if is_open & (token >= 0):
                    status = take(pool, position, token, position + POSITION, row + ROW)
                    if (status & (STATUS_REFUSED | STATUS_HOST)) == 0:
                        taken = taken + 1
                else:
                    tl.store(row + ROW + lanes, tl.load(row + lanes))
                    tl.store(position + POSITION, grammar)
                    tl.store(position + POSITION + 3, 0)
                    tl.store(position + POSITION + 6, (before & STATUS_HOST) | STATUS_REFUSED)
                tl.debug_barrier()
                position = position + POSITION
                row = row + ROW
                draft = draft + 1
            if allowed is not None:
                tl.store(allowed + at, taken)
