// Builds the page of parcast ui: one script and one style sheet beside those of reports.
import { defineConfig } from "vite";
import page from "./vite.config";

export default defineConfig({
  ...page,
  build: {
    ...page.build,
    emptyOutDir: false,
    lib: {
      entry: "src/ui.tsx",
      formats: ["iife"],
      name: "parcastUi",
      fileName: () => "ui.js",
      cssFileName: "ui",
    },
  },
});
