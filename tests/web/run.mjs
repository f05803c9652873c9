// SPDX-License-Identifier: Apache-2.0
// Tests reports in a browser: numbers of the sliders against `parcast predict`, the page without JavaScript,
// accessibility, and that nothing is requested.
//   node tests/web/run.mjs --build build/ci [--browser /usr/bin/chromium] [--keep DIR]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync, cpSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { testSubjects } from "./subjects.mjs";

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

const folder = option("--keep", mkdtempSync(join(tmpdir(), "parcast-web-")));
const env = {
  ...process.env,
  PATH: `${join(build, "bin")}:${join(build, "examples")}:${process.env.PATH}`,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};
cpSync(join(here, "cluster.machine.toml"), join(folder, "cluster.machine.toml"));

function run(command, args, allowed = [0, 3]) {
  const done = spawnSync(command, args, { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(
    allowed.includes(done.status),
    `${command} ${args.join(" ")}: exit ${done.status}\n${done.stderr}`,
  );
  return done.stdout;
}
const parcast = (...args) => run("parcast", args);
const words = (p, parameters) => [
  "-p",
  String(p),
  ...Object.entries(parameters).flatMap(([name, value]) => ["-s", `${name}=${value}`]),
];
const predict = (model, machine, p, parameters) =>
  JSON.parse(
    parcast(
      "predict",
      model,
      "-m",
      machine,
      ...words(p, parameters),
      "--engine",
      "equation",
      "--no-store",
      "--json",
    ),
  );

/** Park and Miller 1988: the same points in each run. */
function numbers(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

function near(actual, expected, what, within = 1e-9) {
  assert.ok(
    Math.abs(actual - expected) <= within * Math.max(Math.abs(expected), 1e-300),
    `${what}: the page has ${actual}, predict ${expected}`,
  );
}

function recordGauss() {
  for (const p of [1, 2])
    for (const n of [40, 64, 90])
      parcast(
        "record",
        "-q",
        "--param",
        `N=${n}`,
        "-o",
        `g-${p}-${n}.recording`,
        "--",
        "mpirun",
        "--oversubscribe",
        "-n",
        String(p),
        "gauss",
        String(n),
      );
  parcast(
    "model",
    "-q",
    "-o",
    "gauss.model.json",
    ...[1, 2].flatMap((p) => [40, 64, 90].map((n) => `g-${p}-${n}.recording`)),
  );
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
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

/** Opens a report; the test fails on any request but the page itself, and on any error of its scripts. */
async function opened(file, options, body) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on(
    "request",
    (request) =>
      request.url().split("#")[0] !== "file://" + file &&
      !request.url().startsWith("data:") &&
      problems.push("requested " + request.url()),
  );
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto("file://" + file);
  await body(page);
  assert.deepEqual(problems, []);
  await context.close();
}

/** Seconds of a text such as "5.23 ms". */
function secondsOf(text) {
  const [number, unit] = text.trim().split(" ");
  return Number(number) * { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 }[unit];
}

/** Compares a shown time of three digits. */
function shows(text, seconds) {
  assert.ok(Math.abs(secondsOf(text) - seconds) <= 0.006 * seconds, `${text} is shown for ${seconds} s`);
}

const answer = (page, p, setting) =>
  page.evaluate(([p, setting]) => parcast.answer(p, setting), [p, setting]);
const partNames = {
  compute: "compute",
  memory: "memory",
  startup: "message_startup",
  transfer: "transfer",
  wait: "wait",
};

/** Compares random points of a report with `predict`: total, interval and parts. */
async function comparePoints(model, machine, p, parameters, count) {
  const file = join(folder, "compared.html");
  parcast("report", model, "-m", machine, ...words(p, parameters), "-o", file, "-q");
  await opened(file, {}, async (page) => {
    const random = numbers(7);
    const { ps, sliders } = await page.evaluate(() => ({
      ps: parcast.data.layers.map((each) => each.p),
      sliders: parcast.data.parameters,
    }));
    let compared = 0,
      withEnds = 0;
    for (let i = 0; i < count; ++i) {
      const at = Object.fromEntries(
        sliders.map((each) => [each.name, Math.round(each.low * Math.pow(each.high / each.low, random()))]),
      );
      const processes = ps[Math.floor(random() * ps.length)];
      const own = await answer(page, processes, { parameters: at, machine: {} });
      if (own.atMost > 0) continue;
      const expected = predict(model, machine, processes, at);
      const where = `${model} at p = ${processes}, ${JSON.stringify(at)}: `;
      near(own.seconds, expected.seconds.value, where + "seconds");
      // Where predict follows the ranks and they take another time, its interval reaches to that as well.
      const isFollowed = expected.warnings.some((each) => each.code === "closed-form-misses-waits");
      if (isFollowed)
        assert.ok(
          own.low >= expected.seconds.low * (1 - 1e-9) && own.high <= expected.seconds.high * (1 + 1e-9),
          where + "interval",
        );
      else {
        near(own.low, expected.seconds.low, where + "low end");
        near(own.high, expected.seconds.high, where + "high end");
        ++withEnds;
      }
      for (const [name, member] of Object.entries(partNames))
        near(own.parts[name], expected.parts[member].value, where + name);
      ++compared;
    }
    assert.ok(compared >= count / 2, `only ${compared} of ${count} points have a closed form`);
    assert.ok(
      withEnds >= count / 4,
      `only ${withEnds} of ${count} points have an interval of the closed form alone`,
    );
  });
}

cpSync(join(root, "examples/shallow_water/shallow_water.program"), join(folder, "shallow_water.program"));
recordGauss();
const page1 = join(folder, "gauss.html");
parcast(
  "report",
  "gauss.model.json",
  "-m",
  "cluster",
  "-p",
  "16",
  "-s",
  "N=400",
  "-o",
  page1,
  "-q",
  "--source",
  join(root, "examples/gauss"),
);

/** The gauss model whose forward check found these errors of its forecasts, or without forecasts. */
function gaussWith(name, errors) {
  const model = JSON.parse(readFileSync(join(folder, "gauss.model.json"), "utf8"));
  assert.ok(model.forecasts.length > 0);
  if (errors) for (const each of model.forecasts) Object.assign(each, errors);
  else delete model.forecasts;
  writeFileSync(join(folder, name), JSON.stringify(model));
}
gaussWith("parts.model.json");
gaussWith("wholes.model.json", { error: 0.05, error_of_parts: 0.3 });
await test("the sliders of a recorded program give what predict gives", () =>
  comparePoints("parts.model.json", "cluster", 16, { N: 400 }, 100));
await test("the sliders of a program with forecasts give what predict gives", async () => {
  await comparePoints("wholes.model.json", "cluster", 16, { N: 400 }, 100);
  const at = (model) => predict(model, "cluster", 2, { N: 1000 }).seconds.value;
  assert.ok(
    Math.abs(at("wholes.model.json") / at("parts.model.json") - 1) > 1e-4,
    "the forecasts change nothing",
  );
});
await test("the sliders of a written program give what predict gives", () =>
  comparePoints("shallow_water.program", "cluster", 16, { N: 1024, steps: 100 }, 100));

await test("a slider of a machine cost gives what predict gives on the changed machine", async () => {
  const at = { N: 1024, steps: 100 },
    file = join(folder, "compared.html");
  parcast("machine", "set", "cluster.machine.toml", "links.network.latency*3", "-o", "slow.machine.toml");
  const expected = predict("shallow_water.program", "slow", 16, at);
  await opened(file, {}, async (page) => {
    const latency = await page.evaluate(() => parcast.data.machine["links.network.latency"][0]);
    const own = await answer(page, 16, { parameters: at, machine: { "links.network.latency": 3 * latency } });
    near(own.seconds, expected.seconds.value, "seconds");
    assert.notEqual(own.seconds, (await answer(page, 16, { parameters: at, machine: {} })).seconds);
  });
});

await test("keys move a slider, and the time follows", () =>
  opened(page1, {}, async (page) => {
    const shown = () => page.locator("#explore .time strong").innerText();
    const before = await shown();
    await page.locator('#explore input[type="range"]').first().focus();
    for (let steps = 0; steps < 20; ++steps) await page.keyboard.press("ArrowLeft");
    assert.notEqual(await shown(), before);
    await page.locator("#explore .reset").click();
    assert.equal(await shown(), before);
    await page.locator('#explore input[type="number"]').fill("200");
    await page.keyboard.press("Enter");
    const own = await answer(page, 16, { parameters: { N: 200 }, machine: {} });
    shows(await shown(), own.seconds);
  }));

await test("the page is complete without JavaScript", () =>
  opened(page1, { javaScriptEnabled: false }, async (page) => {
    const expected = predict("gauss.model.json", "cluster", 16, { N: 400 });
    shows(await page.locator("#answer .time strong").innerText(), expected.seconds.value);
    for (const id of [
      "answer",
      "scaling",
      "parts",
      "regions",
      "callgraph",
      "sensitivity",
      "overheads",
      "machine",
      "warnings",
      "provenance",
    ])
      assert.ok((await page.locator(`#${id}`).innerText()).length > 40, id);
    assert.equal(await page.locator("#explore").count(), 0);
    assert.ok((await page.locator("figure svg").count()) >= 4);
  }));

await test("the call graph opens and closes without JavaScript", () =>
  opened(page1, { javaScriptEnabled: false }, async (page) => {
    const tree = page.locator("#callgraph .call-tree"),
      called = tree.locator("li li", { hasText: "MPI_Init" }).first();
    assert.ok(!(await tree.isVisible()));
    await page.locator("#callgraph summary", { hasText: "Who calls whom" }).click();
    assert.ok(await tree.isVisible());
    assert.ok(!(await called.isVisible()));
    await tree.locator("summary", { hasText: /^main/ }).click();
    assert.match(await called.innerText(), /MPI_Init.*called at gauss\.c:\d+/);
  }));

await test("a place leads to its lines of the source", () =>
  opened(page1, {}, async (page) => {
    await page.locator("#regions a.place").first().click();
    await page.waitForSelector("#regions tr.source-row mark");
    assert.match(await page.locator("#regions tr.source-row pre").innerText(), /MPI_/);
    await page.locator("#regions a.place").first().click();
    assert.equal(await page.locator("#regions tr.source-row").count(), 0);
  }));

await test("tables and charts are copied", () =>
  opened(page1, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    const copied = async (name) => {
      await page.getByRole("button", { name }).first().click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.match(
      await copied("Copy Regions as CSV"),
      /^region,time,share,interval,found,"executions, formula",where\ngauss,[\d.e-]+,1\.0+,/,
    );
    assert.match(await copied("Copy Regions as LaTeX"), /^\\begin\{tabular\}\{lrrrlll\}/);
    assert.match(await copied("Copy Time as SVG"), /^<svg .*fill="rgb/s);
  }));

for (const colorScheme of ["light", "dark"])
  await test(`axe finds nothing serious (${colorScheme})`, () =>
    opened(page1, { colorScheme, bypassCSP: true }, async (page) => {
      await page.waitForSelector("#explore canvas");
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
      assert.deepEqual(
        serious.map(
          (each) =>
            `${each.id}: ${each.nodes
              .slice(0, 3)
              .map((node) => node.html + " " + node.failureSummary)
              .join(" | ")}`,
        ),
        [],
      );
    }));

await test("names of a foreign model are text", async () => {
  const bad = "</script><script>window.taken=1</script><img src=x onerror=window.taken=2>";
  const model = JSON.parse(readFileSync(join(folder, "gauss.model.json"), "utf8"));
  for (const node of model.nodes) if (node.kind === "region") node.label = bad;
  model.program = bad;
  writeFileSync(join(folder, "bad.model.json"), JSON.stringify(model));
  parcast("report", "bad.model.json", "-m", "cluster", "-p", "16", "-s", "N=400", "-o", "bad.html", "-q");
  await opened(join(folder, "bad.html"), {}, async (page) => {
    await page.waitForSelector("#explore canvas");
    assert.equal(await page.evaluate(() => window.taken), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator("#regions").innerText()).includes("<script>window.taken=1"));
  });
});

await test("a narrow screen needs no sideways scrolling", () =>
  opened(page1, { viewport: { width: 400, height: 800 } }, async (page) => {
    await page.waitForSelector("#explore canvas");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  }));

await testSubjects({ test, opened, parcast, folder, axe });

await browser.close();
if (!process.argv.includes("--keep")) rmSync(folder, { recursive: true });
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
