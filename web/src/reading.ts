// Helps to read the page: a click on a place opens its lines of the source, and the list of sections marks
// the one on the screen.

/** Shows the lines in a row below the place, and hides them at the next click. */
function showBelow(event: Event, link: HTMLAnchorElement): void {
  const source = document.getElementById(link.hash.slice(1)), row = link.closest("tr");
  if (!source || !row) return;
  event.preventDefault();
  const next = row.nextElementSibling;
  link.setAttribute("aria-expanded", String(!next?.classList.contains("source-row")));
  if (next?.classList.contains("source-row")) return next.remove();
  const below = document.createElement("tr"), cell = document.createElement("td");
  below.className = "source-row source";
  cell.colSpan = row.children.length;
  cell.append(...[...source.children].map((each) => each.cloneNode(true)));
  const title = cell.querySelector("summary");
  title?.replaceWith(Object.assign(document.createElement("small"), { textContent: title.textContent }));
  below.append(cell);
  row.after(below);
}

export function openSources(): void {
  const show = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (!(target instanceof HTMLDetailsElement)) return;
    for (let each: Element | null = target; each; each = each.parentElement)
      if (each instanceof HTMLDetailsElement) each.open = true;
    target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", show);
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a.place"))
    link.addEventListener("click", (event) => showBelow(event, link));
  addEventListener("beforeprint", () =>
    document
      .querySelectorAll<HTMLDetailsElement>("section > details:not(.source)")
      .forEach((each) => (each.open = true)),
  );
  show();
}

export function markSection(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>("nav a")].map((link) => [link.hash.slice(1), link]),
  );
  const seen = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id);
      const first = [...links.keys()].find((id) => seen.has(id));
      links.forEach((link, id) => link.classList.toggle("here", id === first));
    },
    { rootMargin: "-60px 0px -50% 0px" },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section) observer.observe(section);
  }
}
