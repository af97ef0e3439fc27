/* The drawing: the automaton of one rule around one state, in layers by distance. */

const RADIUS = 20, BEND = 46, TAIL = 22, CHARACTER = 7.25, LINE = 18, LANE = 24, MOST_LABELS = 3, MOST_LANES = 5;
let longest = 26;

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/* A byte as it is read: itself, a symbol for white space, or its number. */
function glyph(byte) {
  const named = { 9: '⇥', 10: '⏎', 13: '␍', 32: '␣' }[byte];
  return named || (byte > 32 && byte < 127 ? String.fromCharCode(byte) : 'x' + byte.toString(16).toUpperCase().padStart(2, '0'));
}

/* A set of bytes in readable form: `0–9 a–f`, or `any but " \` where most printable bytes are in it. */
function readable(ranges) {
  const has = new Array(256).fill(false);
  for (const [lo, hi] of ranges) has.fill(true, lo, hi + 1);
  const parts = [];
  const kind = (byte) => byte >= 128 ? 4 : byte >= 97 && byte <= 122 ? 2 : byte >= 65 && byte <= 90 ? 1 : byte >= 48 && byte <= 57 ? 0 : byte > 32 && byte < 127 ? 3 : 5;
  const missing = [...has.keys()].filter((byte) => byte >= 32 && byte < 127 && !has[byte]).map(glyph), nearly = missing.length <= 12;
  if (nearly) {
    parts.push(missing.length ? 'any but ' + missing.join(' ') : 'any printable');
  }
  for (let byte = 0; byte < 256; byte++) {
    if (!has[byte] || nearly && byte >= 32 && byte < 127) continue;
    let end = byte;
    while (end < 255 && has[end + 1] && kind(end + 1) === kind(byte)) end++;
    if (end - byte > 2) parts.push(glyph(byte) + '–' + glyph(end).replace(/^x/, ''));
    else for (let one = byte; one <= end; one++) parts.push(glyph(one));
    byte = end;
  }
  return parts.join(' ');
}

/* The names of rules are often pointers, whose end says most. */
function clip({ text, kind }) {
  if (text.length <= longest) return text;
  return kind === 'call' ? '…' + text.slice(1 - longest) : text.slice(0, longest - 1) + '…';
}

/* The arcs of a rule: state -> target -> labels. Chains of single bytes are one arc, unless `single` or the state is shown. */
function arcsOf(machine, rule, focus, single) {
  const ids = [];
  for (let id = rule.first; id < rule.first + rule.shown; id++) ids.push(id);
  const out = new Map(), sources = new Map();
  for (const id of ids) {
    const state = machine.states.get(id), targets = new Map();
    const to = (target) => targets.get(target) || targets.set(target, { ranges: [], labels: [] }).get(target);
    for (const [lo, hi, target] of state.bytes || []) to(target).ranges.push([lo, hi]);
    for (const [callee, ret] of state.calls || []) to(ret ?? 'end').labels.push({ kind: 'call', text: machine.rules.get(callee).name, rule: callee, order: 300 });
    for (const [mask, target] of state.tokens || []) to(target).labels.push({ kind: 'token', text: machine.tokens(mask), order: 400 });
    out.set(id, targets);
    for (const target of targets.keys()) sources.set(target, sources.has(target) ? null : id);
  }
  const alone = (id) => {
    const targets = out.get(id);
    if (!targets || targets.size !== 1) return null;
    const [[target, arc]] = targets;
    return arc.labels.length === 0 && arc.ranges.length === 1 && arc.ranges[0][0] === arc.ranges[0][1] ? [target, arc.ranges[0][0]] : null;
  };
  const passes = (id) => id !== focus && id !== rule.first && sources.get(id) != null && alone(id) &&
    !(machine.states.get(id).flags & FINAL) && machine.states.get(id).exit === undefined && machine.states.has(alone(id)[0]);
  const arcs = new Map();
  for (const id of ids) {
    if (!single && passes(id) && isByte(out.get(sources.get(id)).get(id))) continue;
    const found = new Map();
    for (const [target, { ranges, labels }] of out.get(id)) {
      const add = (at, label) => (found.get(at) || found.set(at, []).get(at)).push(label);
      labels.forEach((label) => add(target, label));
      if (!ranges.length) continue;
      let at = target, bytes = [];
      if (!single && labels.length === 0 && ranges.length === 1 && ranges[0][0] === ranges[0][1]) {
        bytes = [ranges[0][0]];
        while (passes(at) && at !== id) { const [next, byte] = alone(at); bytes.push(byte); at = next; }
      }
      add(at, { kind: 'bytes', text: bytes.length > 1 ? bytes.map(glyph).join('') : readable(ranges), order: ranges[0][0] });
    }
    for (const labels of found.values()) labels.sort((a, b) => a.order - b.order);
    arcs.set(id, found);
  }
  return arcs;
}

function isByte(arc) { return arc.labels.length === 0 && arc.ranges.length === 1 && arc.ranges[0][0] === arc.ranges[0][1]; }

/* The layers around a state: those before it, itself, and those after it, as many as the width has room for. */
function layersOf(arcs, focus, width, rows) {
  const into = new Map();
  for (const [from, targets] of arcs) for (const to of targets.keys()) (into.get(to) || into.set(to, []).get(to)).push(from);
  const layer = new Map([[focus, 0]]), layers = new Map([[0, [focus]]]), hidden = new Map();
  const grow = (from, by, next) => {
    const found = [];
    for (const at of layers.get(from)) for (const to of next(at)) if (!layer.has(to) && !found.includes(to)) found.push(to);
    if (!found.length) return false;
    const kept = found.length > rows + 1 ? found.slice(0, rows) : found;
    kept.forEach((one) => layer.set(one, from + by));
    if (found.length > kept.length) hidden.set(from + by, found.length - kept.length);
    layers.set(from + by, kept);
    return true;
  };
  const forward = (at) => [...(arcs.get(at) || new Map())].sort((a, b) => a[1][0].order - b[1][0].order).map(([to]) => to);
  const gap = (from) => {
    let widest = 3;
    for (const at of layers.get(from) || []) for (const [to, labels] of arcs.get(at) || []) {
      if (layer.get(to) === from + 1) widest = Math.max(widest, ...shownLabels(labels).map((one) => one.text.length + (one.kind === 'call' ? 2 : 0)));
    }
    return BEND + widest * CHARACTER + TAIL + 14 + 2 * RADIUS;
  };
  let used = 2 * RADIUS + 56;
  const gaps = new Map(), fits = (from) => { const wide = gap(from); gaps.set(from, wide); used += wide; return used <= width; };
  const undo = (at, from) => { layers.get(at).forEach((one) => layer.delete(one)); layers.delete(at); hidden.delete(at); used -= gaps.get(from); gaps.delete(from); };
  /* One layer after the state is always drawn, then one before it, then whatever fits. Beyond a crowded layer is none. */
  if (grow(0, 1, forward)) fits(0);
  if (grow(0, -1, (at) => into.get(at) || []) && !fits(-1)) undo(-1, -1);
  for (let at = 1; at < 6 && layers.has(at) && !hidden.has(at) && grow(at, 1, forward); at++) if (!fits(at)) { undo(at + 1, at); break; }
  if (layers.has(-1) && !hidden.has(-1) && grow(-1, -1, (at) => into.get(at) || []) && !fits(-2)) undo(-2, -2);
  return { layer, layers, gaps, hidden };
}

function shownLabels(labels) {
  const shown = labels.length > MOST_LABELS ? labels.slice(0, MOST_LABELS - 1) : labels;
  const all = shown.map((label) => ({ ...label, full: label.text, text: clip(label) }));
  return shown.length < labels.length ? [...all, { kind: 'more', text: `and ${labels.length - shown.length} more`, full: labels.slice(shown.length).map((one) => one.text).join('\n') }] : all;
}

/* One label for an arc with room for no more. */
function shortened(labels) {
  const [first] = shownLabels(labels), others = labels.length - 1;
  return others ? [{ ...first, text: `${first.text} +${others}`, full: labels.map((label) => label.text).join('\n') }] : [first];
}

/* The arcs into a state from the layer before it. Arcs with equal labels share a track, a line of their labels' height. */
function tracksOf(arcs, { layers, layer }, to) {
  const tracks = new Map();
  for (const from of layers.get(layer.get(to) - 1) || []) {
    const labels = arcs.get(from)?.get(to);
    if (!labels) continue;
    const name = labels.map((label) => label.kind + label.text).join('\n');
    (tracks.get(name) || tracks.set(name, { labels, shown: shownLabels(labels), sources: [] }).get(name)).sources.push(from);
  }
  const all = [...tracks.values()];
  if (all.length > 3) for (const track of all) track.shown = shortened(track.labels);
  const lines = all.reduce((sum, { shown }) => sum + shown.length, 0);
  let line = -lines / 2;
  for (const track of all) { track.offset = (line + track.shown.length / 2) * LINE; line += track.shown.length; }
  return { tracks: all, lines };
}

/* Places of the nodes: a column for each layer, rows as high as the labels of the arcs into them. */
function placesOf(arcs, around) {
  const places = new Map(), columns = [...around.layers.keys()].sort((a, b) => a - b);
  let x = RADIUS + 36, top = 0, bottom = 0;
  for (const column of columns) {
    const rows = around.layers.get(column).map((id) => ({ id, loop: arcs.get(id)?.has(id) ? 40 : 0, lines: tracksOf(arcs, around, id).lines }));
    const height = ({ loop, lines }) => Math.max(54, lines * LINE + 24) + loop;
    let y = -rows.reduce((sum, row) => sum + height(row), 0) / 2;
    for (const row of rows) {
      places.set(row.id, { x, y: y + (height(row) + row.loop) / 2 });
      top = Math.min(top, y); y += height(row); bottom = Math.max(bottom, y);
    }
    x += around.gaps.get(column) || 0;
  }
  return { places, columns, width: x + RADIUS + 20, top, bottom };
}

/* Draws the automaton around a state. `open` is called with a state or a rule that was chosen. */
function draw(machine, focus, { width, single, rows, open, more }) {
  const rule = machine.states.get(focus).rule;
  longest = width < 480 ? 16 : 26;
  const arcs = arcsOf(machine, rule, focus, single);
  const around = layersOf(arcs, focus, width, rows);
  const { places, columns, width: least, top, bottom } = placesOf(arcs, around);
  const lines = svg('g'), grounds = svg('g', { class: 'grounds' }), labels = svg('g'), nodes = svg('g');
  let lane = 0, dropped = 0, wide = least;

  /* Labels stand on their arc, on a ground of the paper's colour that interrupts it. */
  const put = (shown, x, y) => shown.forEach((label, index) => {
    const line = y + (index - (shown.length - 1) / 2) * LINE, long = label.text.length * CHARACTER + (label.kind === 'call' ? 12 : 8);
    const ground = svg('rect', { x: x - long / 2, y: line - 9, width: long, height: 18, rx: 5 });
    const group = svg('g', { class: 'label ' + label.kind }, svg('title', {}, label.full || label.text), svg('text', { x, y: line }, label.text));
    if (label.kind === 'call') group.insertBefore(ground, group.lastChild); else grounds.append(ground);
    if (label.kind === 'call') {
      group.classList.add('go');
      group.addEventListener('click', () => open(machine.rules.get(label.rule).first));
    }
    wide = Math.max(wide, x + long / 2 + 12);
    labels.append(group);
  });
  /* Arcs within a layer bend beside it. There is room for a few. */
  const besides = new Map();
  const beside = (from) => {
    const column = around.layer.get(from), used = besides.get(column) || 0;
    besides.set(column, used + 1);
    return used < MOST_LANES - 1;
  };
  const close = (...ids) => ids.includes(focus) ? ' near' : '';
  const head = (x, y, near, turn = 0) => lines.append(svg('path', { class: 'head' + near, d: 'M0 0l-8 -3.6v7.2z', transform: `translate(${x} ${y}) rotate(${turn})` }));
  const arc = (d, kind) => lines.append(svg('path', { class: 'arc' + kind, d }));

  for (const [to, b] of places) {
    for (const { sources, shown, offset } of tracksOf(arcs, around, to).tracks) {
      const end = b.x - RADIUS, y = b.y + offset, near = close(to, ...sources);
      for (const from of sources) {
        const a = places.get(from), start = a.x + RADIUS, bend = start + BEND;
        arc(`M${start} ${a.y}C${start + BEND / 2} ${a.y} ${start + BEND / 2} ${y} ${bend} ${y}` +
          (offset ? `H${end - TAIL - 6}C${end - 12} ${y} ${end - TAIL} ${b.y} ${end - 6} ${b.y}` : `H${end - 4}`), close(from, to));
      }
      put(shown, (places.get(sources[0]).x + RADIUS + BEND + end - TAIL) / 2 + (offset ? 0 : 4), y);
      head(end, b.y, near);
    }
  }
  for (const [from, targets] of arcs) {
    const a = places.get(from);
    if (!a) continue;
    for (const [to, all] of targets) {
      const b = places.get(to), shown = shortened(all), near = close(from, to);
      if (!b) continue;
      const step = around.layer.get(to) - around.layer.get(from), turn = Math.sign(b.y - a.y);
      if (from === to) {
        arc(`M${a.x - 8} ${a.y - RADIUS + 2}c-12 -30 28 -30 16 0`, near);
        head(a.x + 7.6, a.y - RADIUS - 0.5, near, 112);
        put(shown, a.x, a.y - RADIUS - 30);
      } else if (step === 0 && beside(from)) {
        const side = a.x + RADIUS + 14 + Math.min(18, Math.abs(b.y - a.y) / 6);
        arc(`M${a.x + RADIUS - 3} ${a.y + turn * 8}C${side} ${a.y + turn * 16} ${side} ${b.y - turn * 16} ${b.x + RADIUS - 1} ${b.y - turn * 6}`, near);
        head(b.x + RADIUS - 1, b.y - turn * 6, near, 180 - turn * 30);
        put(shown, side - 3 + shown[0].text.length * CHARACTER / 2, (a.y + b.y) / 2);
      } else if (step < 0 && lane < MOST_LANES) {
        const y = bottom + 10 + LANE * lane++, right = a.x + RADIUS + 12, left = b.x - RADIUS - 12;
        arc(`M${a.x + RADIUS - 4} ${a.y + 9}Q${right} ${a.y + 12} ${right} ${a.y + 26}V${y - 8}Q${right} ${y} ${right - 8} ${y}` +
          `H${left + 8}Q${left} ${y} ${left} ${y - 8}V${b.y + 22}Q${left} ${b.y + 9} ${b.x - RADIUS + 2} ${b.y + 7}`, ' back' + near);
        head(b.x - RADIUS + 2, b.y + 7, near, -22);
        put(shown, (left + right) / 2, y);
      } else if (step !== 1) dropped++;
    }
  }

  for (const [id, { x, y }] of places) {
    const one = machine.states.get(id), ends = id === 'end' || one && one.flags & FINAL;
    const kind = id === focus ? ' here' : one ? '' : ' outside';
    const name = id === 'end' ? '⏎' : String(id);
    const says = id === 'end' ? 'The called rule takes the place of this one' : one ? `State ${id}${ends ? ', the rule may end' : ''}${id === focus ? ', shown' : ''}` : `State ${id}, not on this page`;
    const column = around.layer.get(id);
    const group = svg('g', { class: 'node' + kind + (one ? ' go' : ''), transform: `translate(${x} ${y})`, role: 'button', 'aria-label': says, tabindex: id === focus ? 0 : -1, 'data-id': id, 'data-column': column },
      svg('circle', { class: 'ring', r: RADIUS + 6 }), svg('circle', { class: 'outer', r: RADIUS }), svg('text', { 'font-size': name.length > 4 ? 10 : 11 }, id === 'end' ? '' : name));
    if (ends) group.insertBefore(svg('circle', { class: 'inner', r: RADIUS - 3.5 }), group.lastChild);
    if (id === 'end') group.append(svg('title', {}, says));
    if (id === rule.first) lines.append(svg('path', { class: 'arc', d: `M${x - RADIUS - 30} ${y}h22` }), svg('path', { class: 'head', d: 'M0 0l-8 -3.6v7.2z', transform: `translate(${x - RADIUS} ${y})` }));
    if (one) group.addEventListener('click', () => open(id));
    nodes.append(group);
  }
  const captions = columns.map((column) => svg('text', { class: 'column', x: places.get(around.layers.get(column)[0]).x, y: top - 22 }, column === 0 ? 'here' : column < 0 ? 'before' : column === 1 ? 'next' : 'then'));
  for (const [column, count] of around.hidden) {
    const button = svg('g', { class: 'node rest go', role: 'button', tabindex: -1, 'data-column': column, 'aria-label': `Show ${count} more states` },
      svg('text', { x: places.get(around.layers.get(column)[0]).x, y: bottom + 4 + lane * LANE }, `+${count} more`));
    button.addEventListener('click', more);
    nodes.append(button);
  }
  if (dropped) captions.push(svg('text', { class: 'column', x: wide / 2, y: bottom + 14 + lane * LANE }, `${dropped} more arcs are not drawn`));
  const height = bottom - top + 56 + (lane + (around.hidden.size || dropped ? 1 : 0)) * LANE;
  return svg('svg', { width: wide, height, viewBox: `0 ${top - 36} ${wide} ${height}`, role: 'group', 'aria-label': `Rule ${rule.name} around state ${focus}` }, ...captions, lines, grounds, labels, nodes);
}
