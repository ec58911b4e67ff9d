// For everything in TypeScript: run from the folder that is to be checked, with --config.
import { existsSync } from "node:fs";
import js from "@eslint/js";
import tseslint from "typescript-eslint";

// A package's tests include every other file: one program instead of three, each of which has the sources.
const projects = existsSync("test/tsconfig.json")
  ? ["./test/tsconfig.json"]
  : ["./tsconfig.json", "./*/tsconfig.json"];

export default tseslint.config(
  { ignores: ["**/*.d.ts", "dist/**", "build/**", "node_modules/**"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: projects, tsconfigRootDir: process.cwd() },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "@typescript-eslint/explicit-function-return-type": [
        "error",
        { allowExpressions: true, allowTypedFunctionExpressions: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
);
