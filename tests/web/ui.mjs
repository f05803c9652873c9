// SPDX-License-Identifier: Apache-2.0
// Tests the page of parcast ui in a browser: an experiment by mouse and by keyboard alone, live points, a
// cancelled simulation, comparison, history, names of a foreign model, accessibility.
//   node tests/web/ui.mjs --build build/ci [--browser /usr/bin/chromium] [--keep DIR]
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

const here = dirname(fileURLToPath(import.meta.url)),
  root = resolve(here, "../..");
const option = (name, otherwise) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const build = resolve(option("--build", join(root, "build/ci")));
const browserPath = option("--browser", "/usr/bin/chromium");
const modules = join(root, "web/node_modules");
const kSkipped = 77;
if (!existsSync(join(modules, "playwright-core")) || !existsSync(browserPath)) {
  console.log("skipped: needs chromium, and npm ci in web/");
  process.exit(kSkipped);
}
const require = createRequire(join(root, "web/package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const kept = option("--keep", "");
const folder = mkdtempSync(join(kept || tmpdir(), "parcast-ui-test-"));
const program = join(build, "bin/parcast");
const scratch = join(folder, ".tmp"); // hidden from the list
mkdirSync(scratch);
const env = { ...process.env, PATH: `${join(build, "bin")}:${process.env.PATH}`, TMPDIR: scratch };
cpSync(join(here, "cluster.machine.toml"), join(folder, "cluster.machine.toml"));
cpSync(join(root, "examples/shallow_water/shallow_water.program"), join(folder, "shallow_water.program"));
const kSize = { N: 192, steps: 100 }; // the largest values in the program's text

function parcast(...words) {
  const done = spawnSync(program, words, { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok([0, 3].includes(done.status), `parcast ${words.join(" ")}: exit ${done.status}\n${done.stderr}`);
  return done.stdout;
}
const question = (p, values) => [
  "-m",
  "cluster",
  "-p",
  String(p),
  ...Object.entries(values).flatMap(([name, value]) => ["-s", `${name}=${value}`]),
];
const predicted = (p, values, ...more) =>
  JSON.parse(
    parcast("predict", "shallow_water.program", ...question(p, values), ...more, "--no-store", "--json"),
  );

/** Starts the server; it prints its address as JSON. */
async function serve() {
  const server = spawn(program, ["ui", folder, "--no-browser", "--json", "-q"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const part of server.stdout) if ((text += part).includes("}")) break;
  const ended = new Promise((done) => server.on("exit", done));
  return { url: JSON.parse(text).url, pid: server.pid, stop: () => (server.kill("SIGINT"), ended) };
}
const kLong = 120_000; // milliseconds, of a command on a host that is busy
const children = (pid) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
let server = await serve();
let failed = 0;
async function test(name, body) {
  const began = Date.now();
  try {
    await body();
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stack ?? error}`);
  }
}

/** Opens the page; the test fails on a request to anywhere else, and on any error of its program or its
 * policy but those that are expected: the browser itself reports refused requests. */
async function opened({ expected, ...options }, body) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  const problems = [];
  page.on(
    "request",
    (request) =>
      !request.url().startsWith(server.url) &&
      !request.url().startsWith("data:") &&
      problems.push("requested " + request.url()),
  );
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(server.url);
  await page.getByRole("heading", { name: /^Models/ }).waitFor();
  await body(page, context);
  assert.deepEqual(
    problems.filter((each) => !expected?.test(each)),
    [],
  );
  await context.close();
}

/** Remembers how many points the graph had, each time it changed. */
const watchPoints = (page) =>
  page.evaluate(() => {
    window.seen = new Set();
    new MutationObserver(() =>
      window.seen.add(document.querySelectorAll("#result svg circle").length),
    ).observe(document.body, { childList: true, subtree: true });
  });
const status = (page) => page.getByRole("status");
const ends = (page) =>
  page.waitForFunction(() =>
    /is done|has no answer|was cancelled/.test(document.querySelector('[role="status"]')?.textContent ?? ""),
  );
const cells = (page) =>
  page.locator("#result tbody tr").evaluateAll((rows) =>
    rows.map((row) => ({
      at: [...row.cells].slice(0, -3).map((cell) => cell.textContent),
      seconds: Number([...row.cells].at(-3).dataset.value),
    })),
  );

/** Compares a table of p, or of p and N, with what `parcast predict` prints. */
function compareWithPredict(rows, ...more) {
  for (const { at, seconds } of rows) {
    const expected = predicted(Number(at[0]), { ...kSize, ...(at[1] ? { N: Number(at[1]) } : {}) }, ...more)
      .seconds.value;
    assert.ok(
      Math.abs(seconds - expected) <= 1e-12 * expected,
      `p, N = ${at}: the page has ${seconds}, predict ${expected}`,
    );
  }
}

/** Presses Tab until the focused element has this name. */
async function tabTo(page, name) {
  for (let i = 0; i < 80; ++i) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return (
        element?.getAttribute("aria-label") ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ""
      );
    });
    if (focused.trim() === name) return;
  }
  assert.fail("Tab never reaches " + name);
}

await test("an experiment over two things by mouse: each point appears as it is computed", () =>
  opened({}, async (page) => {
    await page.getByRole("button", { name: "Experiment: shallow_water.program" }).click();
    await page.getByLabel("machine", { exact: true }).selectOption("cluster.machine.toml");
    await page.getByLabel("values of p", { exact: true }).fill("1,2,4,8");
    await page.getByLabel("and", { exact: true }).selectOption("N");
    await page.getByLabel("values of N", { exact: true }).fill("96,192,384");
    await watchPoints(page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await ends(page);
    assert.match(await status(page).innerText(), /is done: 12 of 12 points/);
    assert.equal(await page.locator("#result svg circle").count(), 12);
    assert.equal(await page.locator("#result svg polyline").count(), 3);
    const seen = await page.evaluate(() => [...window.seen]);
    assert.ok(
      seen.filter((count) => count > 0 && count < 12).length >= 2,
      `the graph had ${seen} points, never a part of them`,
    );
    compareWithPredict((await cells(page)).filter((_, i) => i % 5 === 0));
  }));

await test("the same by keyboard alone", () =>
  opened({}, async (page) => {
    await page.keyboard.press("Alt+2");
    await page.getByLabel("machine", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await tabTo(page, "machine");
    await page.keyboard.type("cluster.machine");
    await tabTo(page, "values of p");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("1,2,4");
    await tabTo(page, "and");
    await page.keyboard.type("N");
    await tabTo(page, "values of N");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("96,192");
    await page.keyboard.press("Control+Enter");
    await ends(page);
    assert.match(await status(page).innerText(), /is done: 6 of 6 points/);
    compareWithPredict((await cells(page)).slice(0, 1));
    await tabTo(page, "speed-up");
    await page.keyboard.press("Space");
    assert.match(await page.locator("#result svg").getAttribute("aria-label"), /speed-up over p/);
  }));

await test("a slider, a stepper and a machine cost change the answer at one point", () =>
  opened({}, async (page) => {
    await page.getByRole("button", { name: "Experiment: shallow_water.program" }).click();
    await page.getByLabel("machine", { exact: true }).selectOption("cluster.machine.toml");
    await page.getByLabel("vary", { exact: true }).selectOption("");
    await page.getByRole("button", { name: "twice processes" }).click();
    const p = Number(await page.getByLabel("processes", { exact: true }).inputValue());
    assert.equal(p, 32);
    await page.getByLabel("steps, slider").focus();
    await page.keyboard.press("ArrowRight");
    const steps = Number(await page.getByLabel("steps", { exact: true }).inputValue());
    assert.ok(steps > 100);
    await page.getByText("Parameters of cluster").click();
    await page.locator("summary", { hasText: "interconnect" }).click();
    await page.getByLabel("links.network.latency", { exact: true }).fill("*10");
    await page.keyboard.press("Enter");
    await ends(page);
    parcast(
      "machine",
      "set",
      "cluster",
      "links.network.latency*10",
      "-o",
      join(folder, ".slow.machine.toml"),
      "-q",
    );
    const expected = JSON.parse(
      parcast(
        "predict",
        "shallow_water.program",
        "-m",
        join(folder, ".slow.machine.toml"),
        "-p",
        String(p),
        "-s",
        "N=192",
        "-s",
        `steps=${steps}`,
        "--no-store",
        "--json",
      ),
    );
    const [value, unit] = (await page.locator("#result .time strong").innerText()).split(" ");
    const shown = Number(value) * { us: 1e-6, ms: 1e-3, s: 1 }[unit];
    assert.ok(
      Math.abs(shown - expected.seconds.value) <= 0.006 * shown,
      `${shown} is shown for ${expected.seconds.value}`,
    );
  }));

await test("a simulation shows its progress and is cancelled; nothing of it goes on", () =>
  opened({}, async (page) => {
    await page.getByRole("button", { name: "Experiment: shallow_water.program" }).click();
    await page.getByLabel("machine", { exact: true }).selectOption("cluster.machine.toml");
    await page.getByRole("radio", { name: "simulate" }).check();
    await page.getByLabel("values of p", { exact: true }).fill("4,1024");
    await page.getByLabel("steps", { exact: true }).fill("2000");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForFunction(
      () =>
        Number(document.querySelector("#result tbody tr progress")?.value) > 0 ||
        document.querySelectorAll("#result svg circle").length === 1,
    );
    await page.waitForFunction(
      () => document.querySelectorAll("#result svg circle").length === 1,
      undefined,
      { timeout: kLong },
    );
    assert.match(await status(page).innerText(), /is running: 1 of 2 points/);
    assert.ok(children(server.pid).length > 0);
    await page.locator("body").press("Escape");
    await ends(page);
    assert.match(await status(page).innerText(), /was cancelled: 1 of 2 points/);
    assert.equal(await page.locator("#result svg circle").count(), 1);
    await page.waitForFunction(() => document.querySelector("#result tbody tr.is-cancelled"));
    for (let i = 0; i < 50 && children(server.pid).length > 0; ++i) await page.waitForTimeout(20);
    assert.deepEqual(children(server.pid), []);
  }));

await test("a wrong list of values is said, and the page goes on", () =>
  opened({ expected: /status of 422/ }, async (page) => {
    await page.getByRole("button", { name: "Experiment: shallow_water.program" }).click();
    await page.getByLabel("values of p", { exact: true }).fill("1,two");
    const refused = page.waitForResponse((response) => response.url().endsWith("api/experiments"));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    assert.equal((await refused).status(), 422);
    assert.match(await page.getByRole("alert").innerText(), /two/);
  }));

await test("history outlives the server, and up to four experiments are compared", async () => {
  await server.stop();
  assert.ok(existsSync(join(folder, "parcast-ui.jsonl")));
  server = await serve();
  await opened({}, async (page) => {
    await page.keyboard.press("Alt+3");
    await page.getByLabel("compare experiment 1", { exact: true }).check();
    await page.getByLabel("compare experiment 2", { exact: true }).check();
    await page.locator("#comparison svg circle").nth(17).waitFor();
    assert.equal(await page.locator("#comparison svg circle").count(), 12 + 6);
    assert.equal(await page.locator("#comparison tbody tr").count(), 12 + 6);
    await page.getByLabel("compare experiment 3", { exact: true }).check();
    assert.match(await page.locator("#comparison").innerText(), /one point has no curve/);
    if (kept) await page.screenshot({ path: join(kept, "history.png"), fullPage: true });
  });
});

await test("a description is saved, and study reads it", () =>
  opened({}, async (page) => {
    await page.keyboard.press("Alt+3");
    await page.getByRole("button", { name: "Save: experiment 1", exact: true }).click();
    await page.getByLabel(/^launch line/).fill("mpirun -n {p} ./shallow_water {N} {steps}");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/The description is in shallow_water.study.toml/).waitFor();
    parcast("study", "shallow_water.study.toml", "--save", "again.study.toml");
    assert.match(
      readFileSync(join(folder, "again.study.toml"), "utf8"),
      /\[graph\]\n"p" = "1,2,4,8"\n"N" = "96,192,384"/,
    );
    await page.keyboard.press("Alt+1");
    await page.getByRole("button", { name: "Load: shallow_water.study.toml" }).click();
    await page.getByLabel("values of N", { exact: true }).waitFor();
    assert.equal(await page.getByLabel("values of N", { exact: true }).inputValue(), "96,192,384");
  }));

await test("a report is the document of parcast report", () =>
  opened({}, async (page, context) => {
    await page.getByRole("button", { name: "Experiment: shallow_water.program" }).click();
    await page.getByLabel("machine", { exact: true }).selectOption("cluster.machine.toml");
    const opening = context.waitForEvent("page", { timeout: kLong });
    await page.getByRole("link", { name: "Open as report" }).click();
    const report = await opening;
    await report.waitForSelector("#explore canvas", { timeout: kLong });
    parcast("report", "shallow_water.program", ...question(16, kSize), "-o", "report.html", "-q");
    const inside = /<script type="application\/json" id="explanation">(.*?)<\/script>/s;
    assert.equal(
      await report.evaluate(() => document.getElementById("explanation").textContent),
      inside.exec(readFileSync(join(folder, "report.html"), "utf8"))[1],
    );
  }));

await test("names of a foreign model are text", async () => {
  const bad = "</script><script>window.taken=1</script><img src=x onerror=window.taken=2>";
  writeFileSync(
    join(folder, "<img src=x onerror=window.taken=3>.program"),
    readFileSync(join(folder, "shallow_water.program")),
  );
  mkdirSync(join(folder, "foreign"));
  const model = JSON.parse(parcast("show", "shallow_water.program", "--json"));
  model.program = bad;
  writeFileSync(join(folder, "foreign/bad.model.json"), JSON.stringify(model));
  await opened({}, async (page) => {
    await page.getByRole("button", { name: "Experiment: <img src=x" }).click();
    await page.getByLabel("values of p", { exact: true }).fill("1,2");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await ends(page);
    await page.keyboard.press("Alt+3");
    await page
      .getByLabel(/^compare experiment/)
      .first()
      .check();
    assert.equal(await page.evaluate(() => window.taken), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator("main").innerText()).includes("<img src=x"));
  });
});

for (const colorScheme of ["light", "dark"])
  await test(`axe finds nothing serious in any view (${colorScheme})`, () =>
    opened({ colorScheme, bypassCSP: true }, async (page) => {
      await page.evaluate(axe);
      for (const [key, ready] of [
        ["Alt+1", "Models"],
        ["Alt+2", "Run"],
        ["Alt+3", "History"],
      ]) {
        await page.keyboard.press(key);
        await page.getByText(ready).first().waitFor();
        if (key === "Alt+2") {
          await page.getByRole("button", { name: "Run", exact: true }).click();
          await ends(page);
          await page.getByText("Parameters of").click();
        }
        if (key === "Alt+3") {
          await page.getByLabel("compare experiment 1", { exact: true }).check();
          await page.getByLabel("compare experiment 2", { exact: true }).check();
        }
        const { violations } = await page.evaluate(() => axe.run());
        const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
        assert.deepEqual(
          serious.map(
            (each) =>
              `${key} ${each.id}: ${each.nodes
                .slice(0, 3)
                .map((node) => node.html + " " + node.failureSummary)
                .join(" | ")}`,
          ),
          [],
        );
        if (kept)
          await page.screenshot({ path: join(kept, `${key.at(-1)}-${colorScheme}.png`), fullPage: true });
      }
    }));

await test("a narrow screen needs no sideways scrolling", () =>
  opened({ viewport: { width: 400, height: 800 } }, async (page) => {
    for (const key of ["Alt+1", "Alt+2", "Alt+3"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(100);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, key);
      if (kept) await page.screenshot({ path: join(kept, `${key.at(-1)}-narrow.png`), fullPage: true });
    }
  }));

await test("when the server ends, the page says so and keeps what it shows", () =>
  opened({ expected: /ERR_/ }, async (page) => {
    await page.keyboard.press("Alt+3");
    await server.stop();
    await page.getByText(/parcast ui has ended/).waitFor();
    assert.ok((await page.locator("tbody tr").count()) > 0);
    assert.deepEqual(readdirSync(scratch), []);
  }));

await server.stop();
await browser.close();
if (!kept) rmSync(folder, { recursive: true });
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
