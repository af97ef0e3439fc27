'use strict';
/* The automaton of the page, run by the page: the simulation that `runtime/src/step/machine.rs` defines.
   A configuration is a state, a register and a frame. A frame is interned, so equal stacks are one object. */

const FINAL = 1, POP_ONLY = 2, ABSORBING = 8, CLEARS = 16, LOADS = 32, THEN = 64, SHIFT = 8, WIDTH = 13;
const PACKED_STRINGS = 16, DISTINCT = 4;
/* Largest number of configurations of one closure. An ambiguous text beyond it is not followed further. */
const MOST_CONFIGURATIONS = 4000;

function Machine(data) {
  const states = new Map(data.states.map((state) => [state.id, state]));
  const rules = new Map(data.rules.map((rule) => [rule.id, rule]));
  for (const rule of data.rules) {
    for (let id = rule.first; id < rule.first + rule.shown; id++) states.get(id).rule = rule;
  }
  const packed = bytesOf(data.packed || '');
  const utf8 = new TextEncoder();

  /* The node of a packed string set at an address: whether a text ends there, and its transitions. */
  function node(at) {
    const head = packed[at];
    if (head === undefined || head < 128) return { final: false, on: new Map(head === undefined ? [] : [[head, at + 1]]) };
    const width = head >> 3 & 7, many = (head & 7) === 7;
    const count = many ? packed[at + 1] + 1 : head & 7, first = at + (many ? 2 : 1);
    const end = first + count + count * width, on = new Map();
    for (let index = 0; index < count; index++) {
      let offset = 0;
      for (let byte = width - 1; byte >= 0; byte--) offset = offset * 256 + packed[first + count + index * width + byte];
      on.set(packed[first + index], end + offset);
    }
    return { final: (head & 64) !== 0, on };
  }

  /* The state and the register in which an arrival ends. An arrival may update counters. */
  function arrival(id, register) {
    for (let step = 0; step < 32; step++) {
      const state = states.get(id);
      if (!state || state.exit === undefined) break;
      const flags = state.flags, bits = flags >>> SHIFT & 31, width = flags >>> WIDTH & 31;
      if (flags & CLEARS) {
        register = (register & ~(1 << bits)) >>> 0;
        if (register !== 0) break;
        id = state.exit;
        continue;
      }
      const [shift, ones] = width ? [bits, 2 ** width - 1] : [0, 2 ** 32 - 1];
      const others = (register & ~(ones << shift)) >>> 0, value = (register >>> shift & ones) >>> 0;
      const next = id + (flags & THEN ? 1 : 0);
      if (!(flags & LOADS) && value <= 1) { register = others; id = state.exit; continue; }
      register = (others | (flags & LOADS ? state.exit & ones : value - 1) << shift) >>> 0;
      id = next;
      if (!(flags & THEN)) break;
    }
    return [id, register];
  }

  /* Reads a text. Returns the longest part that is allowed, the configurations after it, and where the page's data ends. */
  function read(text) {
    const bytes = utf8.encode(text), frames = new Map();
    const key = (at) => at.state + ' ' + at.register + ' ' + (at.frame ? at.frame.number : 0);
    const frame = (ret, register, parent) => {
      const name = ret + ' ' + register + ' ' + (parent ? parent.number : 0);
      if (!frames.has(name)) frames.set(name, { ret, register, parent, number: frames.size + 1 });
      return frames.get(name);
    };
    const popped = ({ ret, register, parent }) => ({ state: ret, register, frame: parent });
    const arrive = (from, target, register) => {
      const [state, count] = arrival(target, register);
      let at = { state, register: count, frame: from.frame };
      while (at.frame && states.get(at.state)?.flags & POP_ONLY) at = popped(at.frame);
      return at;
    };
    const begins = (rule, byte) => byte === null || rule.begins.some(([lo, hi]) => lo <= byte && byte <= hi);
    /* The configurations that are reached without a byte: called rules, and callers of rules that may end. */
    const closure = (position, byte) => {
      const found = new Map(position);
      for (const at of found.values()) {
        const state = states.get(at.state);
        if (!state || found.size > MOST_CONFIGURATIONS) continue;
        for (const [callee, ret, count] of state.calls || []) {
          const rule = rules.get(callee);
          if (!begins(rule, byte) && !rule.tokens) continue;
          let top = at.frame;
          if (ret !== null) {
            const [to, register] = arrival(ret, at.register);
            const absorbed = states.get(to)?.flags & ABSORBING && top && top.ret === to && top.register === register;
            if (!absorbed) top = frame(to, register, top);
          }
          const next = { state: rule.first, register: count, frame: top };
          if (!found.has(key(next))) found.set(key(next), next);
        }
        if (at.frame && state.flags & FINAL) {
          const next = popped(at.frame);
          if (!found.has(key(next))) found.set(key(next), next);
        }
      }
      return found;
    };
    const first = { state: data.start, register: 0, frame: null };
    const positions = [new Map([[key(first), first]])];
    const add = (offset, at) => { (positions[offset] ||= new Map()).set(key(at), at); };
    let last = 0;
    for (let offset = 0; offset < bytes.length; offset++) {
      if (!positions[offset]) continue;
      const byte = bytes[offset];
      for (const at of closure(positions[offset], byte).values()) {
        const state = states.get(at.state);
        if (!state) continue;
        if (state.rule.flags & PACKED_STRINGS) {
          const target = node(at.register).on.get(byte);
          if (target === undefined) continue;
          const after = node(target), index = (after.final ? 1 : 0) + (after.on.size ? 0 : 1);
          add(offset + 1, arrive(at, state.rule.first + index, target));
          continue;
        }
        for (const [lo, hi, target] of state.bytes || []) if (lo <= byte && byte <= hi) add(offset + 1, arrive(at, target, at.register));
        for (const [mask, target] of state.tokens || []) {
          for (const id of data.masks[mask].head) {
            const name = bytesOf(data.words[id] || '');
            if (name.length && name.every((one, index) => bytes[offset + index] === one)) add(offset + name.length, arrive(at, target, at.register));
          }
        }
      }
    }
    positions.forEach((position, offset) => { if (position.size) last = offset; });
    const onward = (at) => {
      const state = states.get(at.state);
      if (!state) return [];
      return state.rule.flags & PACKED_STRINGS ? [...node(at.register).on.keys()].map((byte) => [byte, byte]) : state.bytes || [];
    };
    /* The page lacks the states of a rule that is left out, and the texts of a set that is too large. */
    const isOutside = (at) => !states.has(at.state) || (states.get(at.state).rule.flags & PACKED_STRINGS && !packed.length);
    const configurations = [...positions[last].values()];
    const all = [...closure(positions[last], null).values()];
    return {
      bytes, at: last, configurations,
      next: merge(all.flatMap(onward)),
      special: all.flatMap((at) => states.get(at.state)?.tokens || []).flatMap(([mask]) => data.masks[mask].head.slice(0, 2)),
      ends: all.some((at) => !at.frame && states.get(at.state)?.flags & FINAL),
      outside: all.some(isOutside),
      whole: last === bytes.length,
    };
  }

  return { states, rules, read };
}

/* The bytes of a text of the data, where each character is one byte. */
function bytesOf(text) { return Uint8Array.from(text, (c) => c.charCodeAt(0)); }

/* Ranges of bytes in order and without overlap. */
function merge(ranges) {
  const has = new Array(257).fill(false), out = [];
  for (const [lo, hi] of ranges) has.fill(true, lo, hi + 1);
  for (let byte = 0, from = -1; byte <= 256; byte++) {
    if (has[byte] && from < 0) from = byte;
    if (!has[byte] && from >= 0) { out.push([from, byte - 1]); from = -1; }
  }
  return out;
}
