// Builds one script and one style sheet, which the C++ build embeds in the binary. Nothing in them depends
// on the place or time of the build.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The licences of what the bundle contains travel with it into every page. */
const notice: Plugin = {
  name: "notice",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = `/*!\n${readFileSync("notice.txt", "utf8")}*/\n${file.code}`;
  },
};

export default defineConfig({
  plugins: [notice],
  build: {
    outDir: "bundle",
    emptyOutDir: true,
    target: "es2020",
    cssCodeSplit: false,
    modulePreload: false,
    lib: {
      entry: "src/main.tsx",
      formats: ["iife"],
      name: "parcastPage",
      fileName: () => "page.js",
      cssFileName: "page",
    },
  },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
});
