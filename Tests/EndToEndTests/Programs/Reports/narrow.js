// How far tables reach out of what a small screen shows of them: rankings and lists of one number, and funnels whose first step is
// withheld, and with it all that is a part of it. Each of their rows but the last has a marker at its end then.
const over = (table) => [table.ariaLabel, table.scrollWidth - table.clientWidth];
const tables = [...document.querySelectorAll(".evidence:not(.wide) .scroll")]
  .filter((table) => !/Change|Band/.test(table.textContent)).map(over);
const funnels = [...document.querySelectorAll(".scroll")].filter((table) => /Of the step before/.test(table.textContent));
for (const marked of funnels.map((table) => [...table.querySelectorAll("tbody tr")]).flatMap((rows) => rows.slice(1, -1)))
  marked.lastElementChild.innerHTML = '<span class="withheld-marker">withheld</span>';
return [tables, funnels.map(over)];
