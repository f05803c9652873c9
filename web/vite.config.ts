// Builds one script and one style sheet, which the C++ build embeds in the binary. Nothing in them depends
// on the place or time of the build.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "bundle",
    emptyOutDir: true,
    target: "es2020",
    cssCodeSplit: false,
    modulePreload: false,
    lib: { entry: "src/main.tsx", formats: ["iife"], name: "parcastPage", fileName: () => "page.js", cssFileName: "page" },
  },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
});
