/** What the generated codecs are made of. */

export * from "./reader.js";
export { PRINTABLE, UTF8, utf8Size, VCHAR } from "./text.js";
export * from "./writer.js";
