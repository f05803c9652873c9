// Helps to read the page: a click on a place opens its lines of the source, and the list of sections marks
// the one on the screen.

export function openSources(): void {
  const show = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.scrollIntoView({ block: "center" });
    }
  };
  addEventListener("hashchange", show);
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a.place")) link.addEventListener("click", () => setTimeout(show));
  addEventListener("beforeprint", () => document.querySelectorAll<HTMLDetailsElement>("section > details:not(.source)").forEach((each) => (each.open = true)));
  show();
}

export function markSection(): void {
  const links = new Map([...document.querySelectorAll<HTMLAnchorElement>("nav a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id);
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
