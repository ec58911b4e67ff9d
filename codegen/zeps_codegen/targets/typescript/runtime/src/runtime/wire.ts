/** The runtime of the generated codecs. */

export * from "./reader.js";
export { PRINTABLE, UTF8, utf8Size, VCHAR } from "./text.js";
export * from "./writer.js";
