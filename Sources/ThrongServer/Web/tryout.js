// The page of `throng try`: asks for what is new, and writes it down. Everything that comes is text, never markup.
"use strict";

const place = (id) => document.getElementById(id);

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) { made.className = className; }
  if (text !== undefined) { made.textContent = text; }
  return made;
}

function list(className, items) {
  const made = element("ul", className);
  made.append(...items);
  return made;
}

function showPlan(plan) {
  place("app").textContent = plan.title;
  document.title = plan.title;
  const said = {
    counting: `${plan.file} counts, as version ${plan.version}. Save it, and it is read again.`,
    starting: `${plan.file} was saved. The daemon starts anew by it; what comes meanwhile waits.`,
    mistaken: `${plan.file} has mistakes as it is saved now. Version ${plan.version} goes on counting until they are mended.`,
  };
  place("plan").textContent = said[plan.state];
  place("plan").classList.toggle("bad", plan.state === "mistaken");
  place("problems").replaceChildren(...plan.problems.map((problem) => {
    const item = element("li");
    if (problem.line) { item.append(element("span", "place", `line ${problem.line}: `)); }
    item.append(problem.message);
    return item;
  }));
}

function showReports(reports) {
  place("reports").replaceChildren(...reports.map((report) => {
    const item = element("li");
    const link = element("a", "", report.title);
    link.href = report.address;
    item.append(link, ` ${report.period}`);
    return item;
  }));
}

function numbers(tuple) {
  if (!tuple.numbers) { return element("p", "numbers small", "Its numbers follow once PostgreSQL has it."); }
  return list("numbers", tuple.numbers.map((number) => element("li", number.state, `${number.cell}: ${number.words}`)));
}

function tuple(tuple) {
  const made = element("div", "tuple");
  const times = tuple.count === 1 ? "" : `, ${tuple.count} times`;
  made.append(element("p", "", `${tuple.metric}, ${tuple.period}${times}`));
  const buckets = tuple.buckets.map(([name, label]) => element("li", "", `${name}: ${label}`));
  made.append(list("buckets", buckets.concat(tuple.sums.map((sum) => element("li", "", `+ ${sum}`)))));
  made.append(numbers(tuple));
  return made;
}

function event(event) {
  const made = element("li", event.refused ? "refused" : "");
  const line = element("p");
  line.append(element("strong", "", event.event || "(no name)"), ` at ${event.at} `);
  if (event.refused) {
    line.append(element("span", "bad", `refused: ${event.refused}`));
  } else if (event.counted.length === 0) {
    line.append("counted; a funnel or a frequency shows it once its window is over");
  }
  made.append(line);
  if (event.hints.length > 0) { made.append(element("p", "facts-line", event.hints.join("; "))); }
  made.append(...event.counted.map(tuple));
  return made;
}

function entry(entry) {
  const made = element("li");
  made.id = `batch-${entry.number}`;
  const refused = entry.events.filter((event) => event.refused).length;
  const head = element("h3");
  head.append(element("span", "", `${entry.time} UTC`), element("span", "", entry.purpose || "(no purpose)"));
  if (entry.problem) {
    head.append(element("span", "bad", `${entry.status}: ${entry.problem.error}`));
  } else if (entry.isRepeated) {
    head.append(element("span", "", "sent again: counts nothing more"));
  } else {
    head.append(element("span", "good", `${entry.events.length - refused} counted`));
    if (refused > 0) { head.append(element("span", "bad", `${refused} refused`)); }
  }
  if (entry.isTest) { head.append(element("span", "", "a test: a real daemon counts nothing of it")); }
  made.append(head);
  made.append(element("p", "facts-line", [entry.window && `window ${entry.window}`, entry.consent].filter(Boolean).join("; ")));
  if (entry.problem) {
    const where = entry.problem.pointer ? ` At ${entry.problem.pointer}.` : "";
    made.append(element("p", "", entry.problem.detail + where));
  }
  const events = element("ul", "events");
  // What came before stands there already.
  if (!entry.isRepeated) { events.append(...entry.events.map(event)); }
  made.append(events);
  return made;
}

function show(news) {
  showPlan(news.plan);
  showReports(news.reports);
  for (const one of news.entries) {
    const made = entry(one);
    const known = place(made.id);
    if (known) { known.replaceWith(made); } else { place("batches").prepend(made); }
    place("none").hidden = true;
  }
  while (place("batches").children.length > 200) { place("batches").lastElementChild.remove(); }
}

async function follow() {
  let version = 0;
  for (;;) {
    try {
      const answer = await fetch(`/try/feed?after=${version}`, { cache: "no-store" });
      if (answer.status === 200) {
        const news = await answer.json();
        show(news);
        version = news.version;
      }
      place("connection").textContent = "alive";
    } catch {
      place("connection").textContent = "throng try has ended, or does not answer";
      await new Promise((done) => { setTimeout(done, 1000); });
    }
  }
}

async function showExample() {
  const answer = await fetch("/try/example", { cache: "no-store" });
  const read = await answer.json();
  const lines = Object.entries(read).map(([name, value]) => (name === "events"
    ? `  "events": [\n${value.map((each) => `    ${JSON.stringify(each)}`).join(",\n")}]`
    : `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`));
  const batch = `{\n${lines.join(",\n")}\n}`;
  place("curl").textContent = `curl ${location.origin}/v1/batches --data @- <<'JSON'\n${batch}\nJSON`;
}

place("send").addEventListener("click", () => fetch("/try/example", { method: "POST" }));
document.querySelector("details").addEventListener("toggle", showExample);
follow();
