// Files over the network, written to the module's memory as they arrive.

import { LoadError } from "./errors.js";
import { bytesOf } from "./instance.js";

/** Copies bytes to a buffer of the module. */
export function bufferOf(instance, source) {
  const bytes = bytesOf(source);
  const buffer = instance.buffer(bytes.length);
  instance.view(buffer.at(), bytes.length).set(bytes);
  return buffer;
}

/** Reads a file that the caller named to a buffer of the module. */
export async function bufferFrom(instance, source, options = {}) {
  const response = await responseOf(source, options);
  if (!response.ok) throw new LoadError("io", `${response.url || source} answered ${response.status}`);
  const packed = options.gzip === true;
  // The length that the server says is that of the packed bytes.
  const isPlain = !packed && !response.headers.get("content-encoding");
  const told = isPlain ? Number(response.headers.get("content-length") ?? NaN) : NaN;
  const total = Number.isSafeInteger(told) && told > 0 ? told : undefined;
  let body = response.body ?? new Response(new Uint8Array(0)).body;
  if (packed) body = body.pipeThrough(new DecompressionStream("gzip"));
  return fill(instance, body, total, options);
}

async function responseOf(source, { cache, signal }) {
  if (typeof Response !== "undefined" && source instanceof Response) return source;
  if (cache === undefined) return fetch(source, { signal });
  const kept = typeof cache === "string" ? await caches.open(cache) : cache;
  const found = await kept.match(source);
  if (found !== undefined) return found;
  const response = await fetch(source, { signal });
  if (response.ok) await kept.put(source, response.clone());
  return response;
}

async function fill(instance, body, total, { signal, onProgress }) {
  const buffer = total === undefined ? undefined : instance.buffer(total);
  const parts = [];
  let read = 0;
  try {
    const reader = body.getReader();
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      if (buffer === undefined) parts.push(value);
      else if (read + value.length > total) throw new LoadError("io", `more than the ${total} bytes arrived that were announced`);
      else instance.view(buffer.at() + read, value.length).set(value);
      read += value.length;
      onProgress?.(read, total);
    }
    if (buffer === undefined) return joined(instance, parts, read);
    if (read < total) throw new LoadError("io", `${read} of ${total} bytes arrived`);
    return buffer;
  } catch (error) {
    if (instance.death === undefined) buffer?.free();
    throw error;
  }
}

function joined(instance, parts, length) {
  const buffer = instance.buffer(length);
  let at = buffer.at();
  for (const part of parts) {
    instance.view(at, part.length).set(part);
    at += part.length;
  }
  return buffer;
}
