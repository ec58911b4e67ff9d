/** Serves requests from stdin until it ends; answers are flushed when the buffer has no complete request. */

import { handle } from "./handle.js";
import { blob, join } from "./values.js";

const REQUEST_OCTETS_MAX = 64 * 1024 * 1024;

function u32(buffer: Uint8Array, at: number): number {
  return new DataView(buffer.buffer, buffer.byteOffset).getUint32(at);
}

/** The complete requests in `buffer`, and the rest; null if the next request is too large. */
function split(buffer: Uint8Array): { requests: Uint8Array[]; rest: Uint8Array } | null {
  const requests: Uint8Array[] = [];
  let at = 0;
  while (buffer.length - at >= 4) {
    const size = u32(buffer, at);
    if (size > REQUEST_OCTETS_MAX) return null;
    if (buffer.length - at - 4 < size) break;
    requests.push(buffer.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return { requests, rest: buffer.subarray(at) };
}

async function serve(): Promise<number> {
  let pieces: Uint8Array[] = [];
  let [held, wanted] = [0, 4];
  for await (const piece of process.stdin) {
    pieces.push(piece);
    held += piece.length;
    if (held < wanted) continue; // join the pieces of a long request only once
    const found = split(join(pieces));
    if (found === null) {
      process.stderr.write("a request is too large\n");
      return 2;
    }
    const { requests, rest } = found;
    if (requests.length > 0) process.stdout.write(join(requests.map((request) => blob(handle(request)))));
    pieces = [rest];
    held = rest.length;
    wanted = held < 4 ? 4 : 4 + u32(rest, 0);
  }
  return 0;
}

process.exitCode = await serve();
