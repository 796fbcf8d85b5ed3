// The page of `throng try`: asks for what is new, and writes it down. Everything that comes is text, never markup, and all words
// are the server's, in the reader's language.
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

// What programs say to those who write them is in English everywhere.
function english(made) {
  made.lang = "en";
  made.dir = "ltr";
  return made;
}

function showPlan(plan, standing) {
  place("app").textContent = plan.title;
  document.title = plan.title;
  place("plan").textContent = standing;
  place("plan").classList.toggle("bad", plan.state === "mistaken" || plan.state === "missing");
  place("problems").replaceChildren(...plan.problems.map((problem) => {
    const item = english(element("li"));
    if (problem.line) { item.append(element("span", "place", `${plan.file}:${problem.line}: `)); }
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
  if (!tuple.numbers) { return element("p", "numbers small", place("batches").dataset.follow); }
  return list("numbers", tuple.numbers.map((number) => element("li", number.state, `${number.cell}: ${number.words}`)));
}

function tuple(tuple) {
  const made = element("div", "tuple");
  made.append(element("p", "", [tuple.metric, tuple.period, tuple.times].filter(Boolean).join(" · ")));
  const buckets = tuple.buckets.map(([name, label]) => element("li", "", `${name}: ${label}`));
  made.append(list("buckets", buckets.concat(tuple.sums.map((sum) => element("li", "", `+ ${sum}`)))));
  made.append(numbers(tuple));
  return made;
}

function event(event) {
  const made = element("li", event.refused ? "refused" : "");
  const line = element("p");
  line.append(element("strong", "", event.event), ` ${event.at} `);
  if (event.refused) { line.append(english(element("code", "bad", event.refused)), " "); }
  if (event.note) { line.append(event.note); }
  made.append(line);
  if (event.hints.length > 0) { made.append(element("p", "facts-line", event.hints.join("; "))); }
  made.append(...event.counted.map(tuple));
  return made;
}

function entry(entry) {
  const made = element("li");
  made.id = `batch-${entry.number}`;
  const head = element("h3");
  head.append(element("span", "", `${entry.time} UTC`), element("span", "", entry.purpose));
  head.append(...entry.marks.map(([kind, words]) => element("span", kind, words)));
  made.append(head);
  made.append(element("p", "facts-line", [entry.window, entry.consent].filter(Boolean).join("; ")));
  if (entry.problem) {
    made.append(english(element("p", "", [entry.problem.detail, entry.problem.pointer].filter(Boolean).join(" "))));
  }
  const events = element("ul", "events");
  events.append(...entry.events.map(event));
  made.append(events);
  return made;
}

function show(news) {
  showPlan(news.plan, news.standing);
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
      place("connection").textContent = place("connection").dataset.alive;
    } catch {
      place("connection").textContent = place("connection").dataset.ended;
      await new Promise((done) => { setTimeout(done, 1000); });
    }
  }
}

async function showExample() {
  const answer = await fetch("/try/example", { cache: "no-store" });
  const secret = answer.headers.get("authorization");
  const header = secret ? ` --header 'Authorization: ${secret}'` : "";
  const read = await answer.json();
  const lines = Object.entries(read).map(([name, value]) => (name === "events"
    ? `  "events": [\n${value.map((each) => `    ${JSON.stringify(each)}`).join(",\n")}]`
    : `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`));
  const batch = `{\n${lines.join(",\n")}\n}`;
  place("curl").textContent = `curl ${location.origin}/v1/batches${header} --data @- <<'JSON'\n${batch}\nJSON`;
}

place("send").addEventListener("click", () => fetch("/try/example", { method: "POST" }));
document.querySelector("details").addEventListener("toggle", showExample);
follow();
