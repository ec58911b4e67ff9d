// Compiles a .ksy file to JavaScript, and decodes with it: `node kaitai.mjs FILE` reads a line of hexadecimal for each
// frame, and prints a line of JSON for each: {"value": ...} or {"error": ...}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(new URL("../../../../tools/node/package.json", import.meta.url));
const YAML = require("yaml");
const compiler = require("kaitai-struct-compiler");
const KaitaiStream = require("kaitai-struct/KaitaiStream");

const description = YAML.parse(readFileSync(process.argv[2], "utf8"));
const importer = { importYaml: (name) => Promise.reject(new Error(`nothing is imported, and not ${name}`)) };
const files = await compiler.compile("javascript", description, importer, false);
const [[, source]] = Object.entries(files);
const exported = {};
new Function("exports", "module", "require", source)(exported, { exports: exported }, (name) =>
  name.endsWith("KaitaiStream") ? KaitaiStream : require(name),
);
const found = Object.values(exported)[0];
const Frame = typeof found === "function" ? found : Object.values(found)[0];

function plain(value) {
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString("hex") };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const fields = {};
  for (const name of Object.getOwnPropertyNames(value)) {
    if (!name.startsWith("_") && value[name] !== undefined) fields[name] = plain(value[name]);
  }
  if ("value" in Object.getOwnPropertyDescriptors(Object.getPrototypeOf(value))) fields.value = value.value;
  return fields;
}

for await (const line of createInterface({ input: process.stdin })) {
  const octets = Buffer.from(line, "hex");
  const buffer = octets.buffer.slice(octets.byteOffset, octets.byteOffset + octets.byteLength);
  try {
    console.log(JSON.stringify({ value: plain(new Frame(new KaitaiStream(buffer))) }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.constructor.name + ": " + error.message }));
  }
}
