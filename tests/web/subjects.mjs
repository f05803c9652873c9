// SPDX-License-Identifier: Apache-2.0
// Pages that are not of a prediction: a recorded run with its timeline, measured runs, a store's runs; and
// the simulated run in the page of a prediction. run.mjs calls this with its browser.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const kBad = "</script><script>window.taken=1</script><img src=x onerror=window.taken=2>";
const kSpans = 1_000_000,
  kLanes = 64,
  kFrame = 100;

/** Numbers of seven bits per byte in base 64, as the page holds them. */
class Numbers {
  bytes = [];
  add(value) {
    for (; value >= 128; value = Math.floor(value / 128)) this.bytes.push((value % 128) + 128);
    this.bytes.push(value);
  }
  get text() {
    return Buffer.from(this.bytes).toString("base64");
  }
}

/** A page's timeline replaced by one of a million spans. */
function withManySpans(html) {
  const spans = new Numbers();
  for (let lane = 0; lane < kLanes; ++lane)
    for (let i = 0; i < kSpans / kLanes; ++i) {
      (spans.add(i % 6), spans.add(0), spans.add(500 + ((i * 7919 + lane * 104729) % 1000)), spans.add(0));
    }
  const json = {
    schema: "parcast.timeline/1",
    activities: ["compute", "transfer", "memory", "startup", "files", "red", "off"].map((name) => [
      name,
      name,
    ]),
    timelines: [
      {
        title: "many",
        simulated: false,
        length: 1000 * (kSpans / kLanes),
        resolution: 0,
        names: [""],
        regions: [""],
        lanes: Array.from({ length: kLanes }, (_, rank) => [rank, 0, "", kSpans / kLanes]),
        spans: spans.text,
        message_count: 0,
        messages: "",
        step_count: 0,
        path: "",
      },
    ],
  };
  return html.replace(/(id="timeline-data">)[^<]*/, (_, head) => head + JSON.stringify(json));
}

async function axeFindsNothing(page, axe) {
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
}

export async function testSubjects({ test, opened, parcast, folder, axe }) {
  parcast(
    "record",
    "-q",
    "--keep-times",
    "--param",
    "N=64",
    "-o",
    "kept.recording",
    "--",
    "mpirun",
    "--oversubscribe",
    "-n",
    "2",
    "shallow_water",
    "64",
    "40",
  );
  const run = join(folder, "run.html"),
    above = join(folder, "above.html"),
    causes = join(folder, "causes.html"),
    runs = join(folder, "runs.html");
  parcast("report", "kept.recording", "-o", run, "-q");
  parcast("report", "kept.recording", "-m", "cluster", "-o", above, "-q");
  parcast(
    "report",
    ...[1, 2].flatMap((p) => [40, 64, 90].map((n) => `g-${p}-${n}.recording`)),
    "-o",
    causes,
    "-q",
  );
  parcast(
    "predict",
    "gauss.model.json",
    "-m",
    "cluster",
    "-p",
    "2",
    "-s",
    "N=64",
    "--store",
    "s.db",
    "--json",
  );
  writeFileSync(
    join(folder, "measured.csv"),
    "program,machine,N,p,seconds,measured_at\ngauss,cluster,64,2,0.01,2999-01-01T00:00:00Z\n",
  );
  parcast("validate", "measured.csv", "--store", "s.db");
  parcast("report", "--store", "s.db", "-o", runs, "-q");

  await test("a timeline has the computing and the messages of the recording", () =>
    opened(run, {}, async (page) => {
      const [{ computing, messages }] = await page.evaluate(() =>
        parcastTimelines.map((each) => ({
          computing: each.lanes.map((_, lane) => {
            let sum = 0;
            for (let i = each.first[lane]; i < each.first[lane + 1]; ++i)
              if (each.activity[i] === 0) sum += each.end[i] - each.begin[i];
            return sum / 1e9;
          }),
          messages: each.messages.from.length,
        })),
      );
      const counts = JSON.parse(parcast("show", "kept.recording", "--counts", "--json"));
      // The time after a rank's last call is computing too. On a busy host a rank computes for longer than
      // its processor does.
      counts.ranks.forEach((rank, i) =>
        assert.ok(
          computing[i] > 0.95 * rank.compute_seconds - 1e-3,
          `${computing[i]} for ${rank.compute_seconds}`,
        ),
      );
      assert.equal(
        messages,
        counts.ranks.reduce((sum, rank) => sum + rank.messages_sent, 0),
      );
    }));

  await test("keys enlarge the timeline, and a click names a span", () =>
    opened(run, {}, async (page) => {
      const range = () => page.locator(".timeline-tools .quiet").innerText();
      const before = await range(),
        canvas = page.locator(".lanes canvas").first();
      await canvas.focus();
      await page.keyboard.press("+");
      assert.notEqual(await range(), before);
      await page.keyboard.press("0");
      assert.equal(await range(), before);
      const box = await canvas.boundingBox();
      await page.mouse.move(box.x + 0.3 * box.width, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.5 * box.width, box.y + 12);
      await page.mouse.up();
      assert.notEqual(await range(), before);
      await canvas.click({ position: { x: 0.5 * box.width, y: 10 } });
      await page
        .locator(".timeline .selected", { hasText: /^Rank 0: .*, from .* for / })
        .waitFor({ timeout: 5000 });
      await page.getByRole("button", { name: "messages", exact: true }).click();
      await page.getByRole("button", { name: "play" }).click();
      await page.waitForTimeout(200);
      await page.getByRole("button", { name: "pause" }).click();
      assert.match(await page.locator(".units .readout").innerText(), /of 2/);
    }));

  await test("a simulated run lies above the recorded one", () =>
    opened(above, {}, async (page) => {
      assert.deepEqual(await page.evaluate(() => parcastTimelines.map((each) => each.title)), [
        "simulated on cluster",
        "recorded",
      ]);
      assert.equal(await page.locator(".lanes canvas").count(), 2);
      const simulated = JSON.parse(parcast("simulate", "kept.recording", "-m", "cluster", "--json", "-q"));
      const seconds = await page.evaluate(() => parcastTimelines[0].length / 1e9);
      assert.ok(Math.abs(seconds - simulated.seconds) < 2e-9, `${seconds} for ${simulated.seconds}`);
    }));

  await test("a million spans are drawn within a tenth of a second", async () => {
    const many = join(folder, "many.html");
    writeFileSync(many, withManySpans(readFileSync(run, "utf8")));
    await opened(many, {}, async (page) => {
      await page.waitForSelector(".lanes canvas");
      // Processor time of the page's thread: other programs of this host do not count.
      const browser = await page.context().newCDPSession(page);
      await browser.send("Performance.enable", { timeDomain: "threadTicks" });
      const spent = async () =>
        1000 *
        (await browser.send("Performance.getMetrics")).metrics.find((each) => each.name === "TaskDuration")
          .value;
      const times = [];
      await page.locator(".lanes canvas").first().focus();
      for (let i = 0; i < 6; ++i) {
        const before = await spent();
        const drawn = await page.evaluate(
          async (key) => {
            const canvas = document.querySelector(".lanes canvas"),
              frame = () => new Promise(requestAnimationFrame),
              range = () => document.querySelector(".timeline-tools .quiet").innerText,
              was = range();
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            await frame();
            await frame();
            return range() !== was;
          },
          i % 2 ? "0" : "+",
        );
        assert.ok(drawn, "the key changed nothing");
        times.push((await spent()) - before);
      }
      times.sort((a, b) => a - b);
      console.log(`        frames of ${times.map((each) => Math.round(each)).join(", ")} ms`);
      assert.ok(
        times[0] > 0 && times[2] < kFrame,
        `the third fastest of six took ${times[2]} ms of the processor`,
      );
    });
  });

  for (const [file, name, sections] of [
    [run, "a recorded run", ["run", "timeline", "regions", "ranks", "calls", "communication", "provenance"]],
    [causes, "measured runs", ["answer", "overheads", "efficiencies", "causal", "runs", "provenance"]],
    [runs, "a store's runs", ["answer", "points", "provenance"]],
  ]) {
    await test(`the page of ${name} is complete without JavaScript`, () =>
      opened(file, { javaScriptEnabled: false }, async (page) => {
        for (const id of sections) assert.ok((await page.locator(`#${id}`).innerText()).length > 40, id);
      }));
    for (const colorScheme of ["light", "dark"])
      await test(`axe finds nothing serious in the page of ${name} (${colorScheme})`, () =>
        opened(file, { colorScheme, bypassCSP: true }, (page) => axeFindsNothing(page, axe)));
    await test(`the page of ${name} needs no sideways scrolling on a narrow screen`, () =>
      opened(file, { viewport: { width: 400, height: 800 } }, async (page) =>
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0),
      ));
  }

  await test("the overview of a timeline is a picture without JavaScript", () =>
    opened(run, { javaScriptEnabled: false }, async (page) => {
      assert.ok(await page.locator("#timeline-overview svg .fill-compute").isVisible());
      assert.equal(await page.locator(".lanes").count(), 0);
    }));

  await test("names of a foreign recording are text", async () => {
    const meta = join(folder, "kept.recording/meta.json"),
      was = readFileSync(meta, "utf8"),
      json = JSON.parse(was);
    json.program = kBad;
    writeFileSync(meta, JSON.stringify(json));
    parcast("report", "kept.recording", "-o", "bad_run.html", "-q");
    writeFileSync(meta, was);
    await opened(join(folder, "bad_run.html"), {}, async (page) => {
      await page.waitForSelector(".lanes canvas");
      assert.equal(await page.evaluate(() => window.taken), undefined);
      assert.equal(await page.locator("img").count(), 0);
      assert.ok((await page.locator("h1").innerText()).includes("<script>window.taken=1"));
    });
  });
}
