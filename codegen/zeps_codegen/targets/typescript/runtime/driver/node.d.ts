/** The parts of Node's API that the driver uses, so that it needs no package of types. */
declare const process: {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: { write(data: Uint8Array): boolean };
  readonly stderr: { write(text: string): boolean };
  exitCode: number | undefined;
  memoryUsage(): { readonly heapUsed: number; readonly arrayBuffers: number };
  readonly hrtime: { bigint(): bigint };
};

/** Collects garbage; available with `node --expose-gc`. */
declare var gc: (() => void) | undefined;
