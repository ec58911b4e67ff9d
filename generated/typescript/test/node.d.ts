/** The parts of Node's API that the tests use, so that they need no package of types. */
declare module "node:test" {
  export function test(name: string, run: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  export function equal(actual: unknown, expected: unknown, message?: string): void;
  export function deepEqual(actual: unknown, expected: unknown, message?: string): void;
  export function throws(run: () => unknown, expected: object): void; // a class, properties, or a function
}
declare module "node:fs" {
  export function readFileSync(path: string | URL, encoding: "utf-8"): string;
}
declare module "node:process" {
  export const env: Readonly<Record<string, string | undefined>>;
}
