/* The page: rules, search, and what is said of one state. */

const at = (id) => document.getElementById(id);
const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
const size = (bytes) => bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(2)} MB`;

function html(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/* Bytes as text: white space that would be missed is a symbol, and what is no text is a number. */
function visible(bytes) {
  const control = (c) => c === '\n' ? '⏎' : c === '\t' ? '⇥' : c === '\r' ? '␍' : 'x' + c.charCodeAt(0).toString(16).padStart(2, '0');
  try { return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/[\u0000-\u001f\u007f]/g, control); }
  catch { return [...bytes].map((byte) => byte < 128 ? glyph(byte).replace('␣', ' ') : 'x' + byte.toString(16)).join(''); }
}

/* Arrow keys move the focus among the items of a list, of which one is in the order of the Tab key. */
function roving(items, index, event) {
  const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
  if (to === undefined || !items[to]) return;
  event.preventDefault();
  items.forEach((item, one) => { item.tabIndex = one === to ? 0 : -1; });
  items[to].focus();
}

function start(data) {
  const machine = Machine(data);
  machine.tokens = (mask) => {
    const { count: number, head } = data.masks[mask], names = head.slice(0, 2).map((id) => visible(bytesOf(data.words[id] || '')));
    return number > 2 ? `${names[0]} +${number - 1} tokens` : names.join(' ');
  };
  const rules = data.rules.filter((rule) => rule.shown);
  const returns = new Map();
  for (const state of data.states) for (const [callee, ret] of state.calls || []) {
    (returns.get(callee) || returns.set(callee, []).get(callee)).push([state.id, ret]);
  }
  let focus = null, all = false;

  /* The shortest text that leads to a state, in parts: bytes, and ids of special tokens. */
  function textOf(state) {
    if (state.text === undefined) return null;
    const parts = [];
    for (let index = state.text; index > 0; index = data.texts[index][0]) parts.unshift(...data.texts[index].slice(1));
    return parts;
  }

  function go(id) { if (machine.states.has(id)) { if (location.hash === '#' + id) show(id); else location.hash = id; } }

  const link = (id, text) => machine.states.has(id)
    ? html('button', { class: 'to', type: 'button', onclick: () => go(id) }, text || String(id))
    : html('span', { class: 'quiet', title: 'This page leaves the state out' }, `${text || id} (left out)`);

  function section(title, ...children) { return html('section', {}, html('h3', {}, ...[title].flat()), ...children); }

  function panel(state) {
    const rule = state.rule, mask = data.masks[state.mask], flags = state.flags, chips = [];
    if (state.id === data.start) chips.push('start of the text');
    else if (state.id === rule.first) chips.push('start of the rule');
    if (flags & FINAL) chips.push('the rule may end');
    if (state.exit !== undefined) chips.push(flags & CLEARS ? 'marks a key as read' : flags & LOADS ? `sets a counter to ${state.exit}` : 'counts down');
    if (rule.flags & PACKED_STRINGS) chips.push('set of texts');
    if (rule.flags & DISTINCT) chips.push('items differ');
    const out = [html('div', { class: 'head-line' }, html('h2', { id: 'state-name' }, `State ${state.id}`), ...chips.map((chip) => html('span', { class: 'chip' }, chip)))];

    const parts = textOf(state);
    const spelled = parts && parts.map((part) => typeof part === 'string' ? visible(bytesOf(part)) : html('span', { class: 'special' }, data.words[part] || `token ${part}`));
    const last = spelled ? spelled.length - 1 : -1;
    if (last >= 0 && typeof spelled[last] === 'string') spelled[last] = spelled[last].replace(/ $/, '␣');
    const typed = parts && parts.map((part) => typeof part === 'string' ? new TextDecoder().decode(bytesOf(part)) : data.words[part] || '').join('');
    const use = parts && parts.length > 0 && html('button', { class: 'link', type: 'button', onclick: () => { at('text').value = typed; search(false); at('text').focus(); } }, 'Continue');
    out.push(section(['Shortest text to here', use || ''],
      parts === null ? html('p', { class: 'quiet' }, 'None was found. Where a rule ends in a call, the called rule takes its place; and texts may be too long to be searched.')
        : parts.length ? html('code', { class: 'sample' }, ...spelled) : html('p', { class: 'quiet' }, 'The empty text.')));

    if (state.places) out.push(section('In the source', ...state.places.map((place) => html('div', { class: 'place' },
      html('span', { class: 'mono' }, place.pointer || '/'), html('span', { class: 'quiet' }, place.line ? `  ${place.line}:${place.column}` : ''),
      place.excerpt ? html('code', { class: 'sample' }, place.excerpt) : null))));

    const next = merge([...(state.bytes || []), ...(state.calls || []).flatMap(([callee]) => machine.rules.get(callee).begins)]);
    out.push(section('Bytes that may come next', next.length ? html('code', { class: 'sample' }, readable(next)) : html('p', { class: 'quiet' }, flags & FINAL ? 'None: the rule ends here.' : 'None: whole tokens only.')));

    if (mask) {
      const share = data.tokens ? mask.count / data.tokens : 0;
      const form = mask.row === undefined ? 'a list of tokens' : [`row ${mask.row}`, mask.minus ? `without ${mask.minus.toLocaleString('en')}` : '', mask.plus ? `and ${mask.plus.toLocaleString('en')} more` : ''].filter(Boolean).join(' ');
      const chip = (id) => html('span', { class: 'token' + (data.special.includes(id) ? ' special' : ''), title: `token ${id}` }, visible(bytesOf(data.words[id] || '')).replace(/ /g, '␣'));
      out.push(section('Mask: tokens that end in this rule',
        html('p', {}, `${mask.count.toLocaleString('en')} of ${count(data.tokens, 'token')}`),
        html('div', { class: 'meter', 'aria-hidden': 'true' }, html('i', { style: `width:${(100 * share).toFixed(2)}%` })),
        html('p', { class: 'quiet' }, `Mask ${mask.id}, stored as ${form}.`),
        mask.head.length ? html('div', { class: 'tokens' }, ...mask.head.map(chip), mask.count > mask.head.length ? html('span', { class: 'quiet' }, `and ${(mask.count - mask.head.length).toLocaleString('en')} more`) : null) : null));
    }
    const exits = [];
    if (state.exits) exits.push(html('p', {}, `Longer tokens leave the rule at ${count(state.exits[1], 'trie node')} (exit class ${state.exits[0]}).`));
    if (state.follows) exits.push(html('p', {}, `Tokens that leave a called rule continue here: ${count(state.follows, 'follow mask')}.`));
    if (state.near) exits.push(html('p', {}, `Near the bound of a counter, another mask applies: one of ${count(state.near, 'near-bound mask')}.`));
    if (exits.length) out.push(section('Tokens across rules', ...exits));

    const edges = [...grouped(state.bytes || [])].map(([target, ranges]) => html('li', {}, html('span', { class: 'mono' }, readable(ranges)), link(target)));
    const tokens = (state.tokens || []).map(([set, target]) => html('li', {}, html('span', { class: 'mono' }, machine.tokens(set)), link(target)));
    const calls = (state.calls || []).map(([callee, ret]) => html('li', {}, html('span', {}, 'call ', link(machine.rules.get(callee).first, machine.rules.get(callee).name)), ret === null ? html('span', { class: 'quiet' }, 'for the rest') : html('span', { class: 'quiet' }, 'then ', link(ret))));
    if (edges.length + calls.length + tokens.length) out.push(section('Edges', html('ul', { class: 'rows' }, ...edges, ...tokens, ...calls)));

    if (flags & FINAL) {
      const callers = returns.get(rule.id) || [], shown = callers.slice(0, 12);
      const items = shown.map(([from, ret]) => html('li', {}, html('span', { class: 'quiet' }, 'called from ', link(from)), ret === null ? html('span', { class: 'quiet' }, 'for the rest') : html('span', { class: 'quiet' }, 'to ', link(ret))));
      if (rule.first === data.start) items.unshift(html('li', {}, 'to the end of the text'));
      out.push(section('Returns', items.length ? html('ul', { class: 'rows' }, ...items) : html('p', { class: 'quiet' }, 'Nothing on this page calls the rule.'),
        callers.length > shown.length ? html('p', { class: 'quiet' }, `and from ${count(callers.length - shown.length, 'more state')}`) : null));
    }
    at('state').replaceChildren(...out);
    at('state').scrollTop = 0;
  }

  function grouped(edges) {
    const targets = new Map();
    for (const [lo, hi, target] of edges) (targets.get(target) || targets.set(target, []).get(target)).push([lo, hi]);
    return targets;
  }

  function paint(keep) {
    const graph = at('graph'), wide = matchMedia('(min-width: 1081px)').matches;
    const rows = all ? Infinity : wide ? Math.max(4, Math.min(10, Math.floor((graph.clientHeight - 110) / 54))) : 7;
    const more = () => { all = true; paint(true); };
    const drawn = draw(machine, focus, { width: graph.clientWidth - 16, single: at('single').checked, rows, open: go, more });
    graph.replaceChildren(drawn);
    const here = drawn.querySelector('.here');
    const box = here.getBoundingClientRect(), frame = graph.getBoundingClientRect();
    graph.scrollTop += box.top - frame.top - frame.height / 2;
    if (drawn.clientWidth > graph.clientWidth) graph.scrollLeft += box.left - frame.left - frame.width / 3;
    if (keep) here.focus({ preventScroll: true });
  }

  /* Scrolls a list so that an item is in view. `scrollIntoView` would move the start of the Tab key's order, too. */
  function reveal(item, list) {
    const box = item.getBoundingClientRect(), frame = list.getBoundingClientRect();
    if (box.top < frame.top) list.scrollTop += box.top - frame.top - 16;
    if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom + 16;
  }

  function show(id) {
    const state = machine.states.get(id), rule = state.rule, held = at('graph').contains(document.activeElement);
    const inside = at('state').contains(document.activeElement);
    focus = id; all = false;
    at('rule-name').textContent = rule.name;
    at('rule-facts').textContent = `${count(rule.states, 'state')}${rule.own ? '' : ', shared by all grammars of the vocabulary'}${rule.shown < rule.states ? `, ${rule.shown.toLocaleString('en')} of them here` : ''}`;
    for (const button of at('rule-list').querySelectorAll('button')) {
      const is = Number(button.dataset.rule) === rule.id;
      if (is) { button.setAttribute('aria-current', 'true'); reveal(button, document.querySelector('nav')); } else button.removeAttribute('aria-current');
    }
    panel(state);
    paint(held);
    at('said').textContent = `State ${id} of rule ${rule.name}`;
    if (inside) at('state').focus({ preventScroll: true });
  }

  /* Runs the automaton over the text that was typed, and shows the state after it. */
  function search(follow = true) {
    const box = at('text'), text = box.value;
    box.style.height = 'auto'; box.style.height = box.scrollHeight + 2 + 'px';
    if (!text) { at('reached').replaceChildren(); return; }
    const read = machine.read(text), found = read.configurations.filter((one) => machine.states.has(one.state));
    const states = [...new Set(found.map((one) => one.state))], out = [];
    if (!read.whole) {
      const before = visible(read.bytes.slice(0, read.at)), rest = visible(read.bytes.slice(read.at));
      out.push(before.length > 24 ? '…' + before.slice(-24) : before, html('mark', {}, rest.slice(0, 24)), read.outside ? ' goes on in a part that this page leaves out. ' : ' is refused. ');
      const special = read.special.map((id) => data.words[id]), next = [read.next.length ? readable(read.next) : '', ...special].filter(Boolean);
      if (next.length) out.push('Here may come ', html('code', {}, next.join(' ')), '. ');
    }
    if (states.length) out.push(read.whole ? 'The text leads to ' : 'What is before it leads to ', ...states.slice(0, 4).flatMap((id, index) => [index ? ', ' : '', link(id, `state ${id}`), ` of ${machine.states.get(id).rule.name}`]), states.length > 4 ? ` and ${states.length - 4} more` : '', '. ');
    if (read.ends) out.push(read.whole ? html('b', {}, 'It may end here.') : 'The text may end there.');
    at('reached').replaceChildren(...out);
    if (follow && states.length) go(states[0]);
  }

  function list() {
    const most = Math.max(1, ...rules.map((rule) => rule.bytes));
    const items = rules.map((rule) => html('li', {}, html('button', { type: 'button', 'data-rule': rule.id, tabindex: -1, title: rule.name, 'aria-label': `${rule.name}, ${count(rule.states, 'state')}`, class: rule.own ? '' : 'shared', onclick: () => go(rule.first) },
      html('span', { class: 'rule' }, html('bdi', {}, rule.name)), html('span', { class: 'size' }, `${rule.states.toLocaleString('en')} · ${rule.own ? size(rule.bytes) : 'shared'}`),
      rule.own ? html('span', { class: 'share', style: `width:${(100 * rule.bytes / most).toFixed(1)}%`, 'aria-hidden': 'true' }) : null)));
    at('rule-list').append(...items);
    const buttons = () => [...at('rule-list').querySelectorAll('li:not([hidden]) button')];
    if (buttons()[0]) buttons()[0].tabIndex = 0;
    at('rule-list').addEventListener('keydown', (event) => { const listed = buttons(); roving(listed, listed.indexOf(document.activeElement), event); });
    at('filter').hidden = rules.length < 10;
    at('filter').addEventListener('input', () => {
      const wanted = at('filter').value.toLowerCase();
      items.forEach((item, index) => { item.hidden = !rules[index].name.toLowerCase().includes(wanted); });
      const listed = buttons();
      listed.forEach((button, index) => { button.tabIndex = index ? -1 : 0; });
      at('no-rule').hidden = listed.length > 0;
    });
    at('rule-count').textContent = rules.length.toLocaleString('en') + ' · states, bytes';
    if (matchMedia('(max-width: 1080px)').matches) at('rules').open = false;
  }

  at('facts').append(html('span', {}, `${data.kind} for ${data.vocabulary}`), ' ', html('span', {}, `${count(data.states.length, 'state')} · ${size(data.bytes)}`));
  if (data.left_out) {
    at('left-out').hidden = false;
    at('left-out').textContent = `Left out: ${count(data.left_out.states, 'state')} of ${count(data.left_out.rules, 'rule')}. Choose rules with --rule NAME.`;
  }
  list();
  at('single').addEventListener('change', () => paint(false));
  at('text').addEventListener('input', () => search());
  at('search').addEventListener('submit', (event) => event.preventDefault());
  at('graph').addEventListener('keydown', (event) => {
    const here = document.activeElement.closest('[data-column]');
    if (!here) return;
    if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); here.dispatchEvent(new MouseEvent('click')); return; }
    const nodes = [...at('graph').querySelectorAll('[data-column]')], column = Number(here.dataset.column);
    const same = (to) => nodes.filter((one) => Number(one.dataset.column) === to);
    const side = { ArrowRight: 1, ArrowLeft: -1 }[event.key], turn = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const box = (one) => { const { top, height } = one.getBoundingClientRect(); return top + height / 2; };
    const near = side && same(column + side).sort((a, b) => Math.abs(box(a) - box(here)) - Math.abs(box(b) - box(here)))[0];
    const to = side ? near : turn && same(column)[same(column).indexOf(here) + turn];
    if (side || turn) event.preventDefault();
    if (to) { here.setAttribute('tabindex', -1); to.setAttribute('tabindex', 0); to.focus(); }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(TEXTAREA|INPUT)$/.test(document.activeElement.tagName)) { event.preventDefault(); at('text').focus(); }
  });
  const opened = () => { const id = Number(location.hash.slice(1)); return machine.states.has(id) && location.hash.length > 1 ? id : null; };
  addEventListener('hashchange', () => { const id = opened(); if (id !== null) show(id); });
  let wide = innerWidth;
  addEventListener('resize', () => { if (innerWidth !== wide && focus !== null) { wide = innerWidth; paint(false); } });
  /* A start rule that only calls another says little, so the page opens at the rule that it calls. */
  const begin = (id, most) => {
    const state = machine.states.get(id), only = state && !state.bytes && state.calls?.length === 1 && state.calls[0];
    const next = only && only[1] === null && machine.rules.get(only[0]).first;
    return most && next && machine.states.has(next) ? begin(next, most - 1) : id;
  };
  const first = opened() ?? (machine.states.has(data.start) ? begin(data.start, 8) : data.states[0]?.id);
  if (first === undefined) at('state').append(html('h2', { id: 'state-name' }, 'No state'), html('p', { class: 'quiet' }, 'The page has no state of this grammar.'));
  else show(first);
}

try {
  start(JSON.parse(at('data').textContent));
} catch (error) {
  at('broken').hidden = false;
  at('broken').textContent = 'The data of this page cannot be read: ' + error.message;
  document.querySelector('main').hidden = true;
}
