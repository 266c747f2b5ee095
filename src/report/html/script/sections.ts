/** Marks a link, and brings it into sight where the links are wider than the screen. */
function show(link: HTMLAnchorElement): void {
  const row = link.closest('ul');
  if (row && link.getAttribute('aria-current') === null)
    row.scrollTo({ left: link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2 });
  link.setAttribute('aria-current', 'location');
}

/** Marks the link of the section that one reads. */
export function onSections(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];
  const sections = links.map(({ hash }) => document.getElementById(hash.slice(1)));
  let isWaiting = false;
  const mark = () => {
    isWaiting = false;
    const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const above = sections.findLastIndex(
      (section) => (section?.getBoundingClientRect().top ?? 0) < innerHeight / 3,
    );
    const current = isAtEnd ? links.length - 1 : Math.max(0, above);
    for (const [place, link] of links.entries())
      if (place === current) show(link);
      else link.removeAttribute('aria-current');
  };
  document.addEventListener('scroll', () => {
    if (!isWaiting) requestAnimationFrame(mark);
    isWaiting = true;
  });
  mark();
}
