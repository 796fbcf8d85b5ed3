// throng.js: counts what the visitors of a site do, as a crowd. Nothing leaves the page that the app's plan does not
// name, and that only as coarsely as the plan keeps it. There is no cookie; an identifier is random, lasts for one
// purpose and window, and is in sessionStorage or memory. What was sent is in `throng.sent`.
//
//   <script defer src="https://count.example.com/throng.js" data-app="shop" data-view="view"></script>
//   <button data-throng-event="add_to_cart" data-throng-price="24.90">
//
// The daemon serves this file without its comments, and without the spaces that mean nothing: no string or expression of it
// has any beside punctuation, and every statement ends with its semicolon.
(() => {
  "use strict";
  const script = document.currentScript;
  if (!script || window.throng) return;
  const { app, key, view: viewEvent, storage, debug, adult, server = script.src } = script.dataset;
  const address = (path) => new URL(path, server).href;
  const quiet = { credentials: "omit", referrerPolicy: "no-referrer" };
  const sent = [];
  const memory = {};
  let plan, shown, early = [];

  // Whatever goes wrong in here is no reason for the page to fail.
  const safely = (step) => (...values) => {
    try {
      step(...values);
    } catch (error) {
      console.warn(error);
    }
  };
  // With data-debug, what the plan does not have is said.
  const warn = (...words) => debug != null && console.warn("throng knows no", ...words);
  const on = (target, name, step) => target.addEventListener(name, safely(step), true);

  // Calls that come before the plan take their turn once it is there.
  const known = (step) => {
    if (plan) step();
    else if (early.length < 500) early.push(step);
  };

  const random = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join("");

  // Fields of an element: data-throng-order-value="9" is the field order_value.
  const fieldsOf = (element) => {
    const fields = {};
    for (const { name, value } of element.attributes)
      if (name.startsWith("data-throng-")) fields[name.slice(12).replace(/-/g, "_")] = value;
    return fields;
  };
  const shared = fieldsOf(script);

  // What a browser can tell, by the kind of bucketing that the plan has for a field, or by the field's name. Versions
  // in user agents are cut to their first number: families are told by no more. A Mac that is touched is an iPad.
  const agent = () =>
    navigator.userAgent.replace(navigator.maxTouchPoints > 1 && /Macintosh;\sIntel/, "iPad;CPU OS 13_0 like").replace(/([._])\d+/g, "$10");
  const readings = {
    browser: agent,
    operating_system: agent,
    device_class: agent,
    screen: () => screen.width + "x" + screen.height,
    language: () => navigator.language,
    // Of winter and summer, standard time is further west.
    utc_offset: () => -Math.max(...[0, 6].map((month) => new Date(2026, month).getTimezoneOffset())),
    memory_gb: () => navigator.deviceMemory,
    cores: () => navigator.hardwareConcurrency,
    referrer: () => document.referrer,
  };
  const reading = (field) => (readings[plan.fields[field]?.[0].rule.kind] || readings[field])?.();

  // The one spelling of a path: as browsers have it, without empty segments and what follows a ";", with escapes decoded once.
  // An escaped slash stays apart from others, and what is no text equals nothing.
  const pathOf = (path) =>
    new URL("http://a" + path).pathname.split("/").map((part) => {
      try {
        return decodeURIComponent(part.replace(/;.*/, "").replace(/%2f/gi, "%00").replace(/%(?![\da-f]{2})/gi, "%25")).normalize();
      } catch {
        return "\ud800";
      }
    }).filter(Boolean).map((part) => "/" + part).join("");

  // Whether a path is of a template such as /product/:id or /docs/*.
  const matches = (template, path) =>
    new RegExp(
      "^" + pathOf(template).replace(/[^\w/:*]/g, "\\$&").replace(/\/\*$/, "(/[^]*)?").replace(/\/:[^/]+/g, "/[^/]+") + "$"
    ).test(path);

  // The one spelling of a host: as browsers have it, in ASCII.
  const hostOf = (host) => {
    try {
      return new URL("http://" + host.replace(/^.*@|:\d*$/g, "")).hostname.replace(/\.$/, "");
    } catch {
      return "";
    }
  };

  // A number, or a text that is one; anything else is none.
  const numberOf = (value) => (/^[-+.\de]+$/i.test(value) ? +value : NaN);

  // A value by the rule of its dimension. What there is no rule for is left out; a user agent is for the daemon.
  const bucket = ({ rule, buckets }, value) => {
    const { kind, groups, templates, band_hours, medium_from, large_from, level, edges } = rule;
    const text = String(value).normalize(), small = text.toLowerCase();
    // "https://example.org" is the root; "cart" and an empty text are no paths.
    const [, from, host, rest] = text.replace(/^[\0-\x20]+|[\t\n\r]|[\0-\x20]+$/g, "").match(/^((?:[a-z][\w+.-]*:)?[\\/]{2})?([^\\/?#]*)([^?#]*)/i);
    const path = pathOf(rest);
    const found = (label) => (buckets.includes(label) ? label : "other");
    if (buckets.includes(value)) return value;
    if (groups) {
      // The types of files are listed as *.pdf; ".pdf" is a name.
      const word = kind == "file_type" ? (from ? path : text).toLowerCase().replace(/[^]*[^/\\](?=\.)/, "*")
        : kind == "language" ? small.match(/^[a-z]*(?=[-_.@,;:]|$)/)?.[0]
        : text;
      const isMember = (member) => member.normalize() == word || (kind == "region" && member.toLowerCase() == small);
      return groups.find(({ label, values }) => [label, ...values].some(isMember))?.label || "other";
    }
    if (level) {
      // A number such as 17.4 has lost its zeros: it is no minor version.
      const [, major, minor = ".0"] = (text === value || value % 1 == 0 || level == "major") && text.match(/^(\d+)(\.\d+)?/) || [];
      return found(level == "major" ? major : major + minor);
    }
    if (templates)
      return (from || rest) && (templates.find((it) => pathOf(it) == path) || templates.find((it) => matches(it, path))) || "other";
    if (kind == "host") return buckets.find((label) => host && hostOf(label) == hostOf(host)) || "other";
    if (medium_from) {
      const side = Math.min(...small.split(/x(.*)/, 2));
      return side > 0 ? buckets[(side >= medium_from) + (side >= large_from)] : "other";
    }
    // A NUL, half a surrogate pair or an endless text would have the batch refused.
    if (readings[kind] == agent) return text.replace(/[\0\ud800-\udfff]/gu, "").slice(0, 200);
    const number = numberOf(value);
    if (band_hours) return found(buckets[Math.floor((Math.floor(number / 60) + 12) / band_hours)]);
    if (edges) return isFinite(number) ? buckets[edges.filter((edge) => edge <= number).length] : "other";
  };

  // A value as coarsely as it can be sent: a number that is added up, or else the bucket that says it to all that read it.
  const coarse = (field, value) => {
    if (value == null) return;
    // JSON has no number that is none.
    if (plan.sums.includes(field)) return numberOf(value);
    const readers = plan.fields[field] || [], labels = readers.map((reader) => bucket(reader, value));
    return labels.find((label) => readers.every((reader, place) => bucket(reader, label) == labels[place]));
  };

  // Whether a purpose may count: agreed to where the plan asks, in its version or a later one, of which true is the first;
  // and no signal that the plan honours. Without data-adult the page does not know whether the person is a child.
  const allowed = (purpose) =>
    (purpose.consent ?? !purpose.needs_consent) >= purpose.consent_version &&
    !purpose.refused_by.some((signal) =>
      signal == "do_not_track" ? navigator.doNotTrack == "1"
        : signal == "age_signal" ? adult == null
        : signal == "global_privacy_control" && navigator.globalPrivacyControl);

  // JSON leaves out what is undefined.
  const pick = (fields, valueOf) => Object.fromEntries(fields.map((field) => [field, coarse(field, valueOf(field))]));

  // An event as a purpose may have it, or nothing. Quarters of an hour never cut a period in two, in any time zone.
  const eventOf = (purpose, name, given, path, time) => {
    const event = purpose.events.find((event) => event.name == name);
    if (!event) return;
    const fields = pick(event.fields, (field) => given[field] ?? (plan.fields[field]?.[0].rule.templates && path));
    return { event: name, at: new Date(time - (time % 9e5)).toISOString().slice(0, 19) + "Z", fields };
  };

  const record = (name, given, only) => {
    const fields = { ...given }, path = location.pathname, time = Date.now();
    known(() => {
      for (const purpose of plan.purposes) {
        const event = (!only || only == purpose) && allowed(purpose) && eventOf(purpose, name, fields, path, time);
        if (!event || Math.random() >= plan.rate(purpose, name)) continue;
        // What happens again in the same quarter is a number: no order and no rhythm leave the page.
        const same = JSON.stringify(event);
        const before = purpose.queue.find(({ count, ...event }) => JSON.stringify(event) == same);
        if (before) before.count++;
        else if (purpose.queue.length < 500) purpose.queue.push({ ...event, count: 1 });
        wake(purpose, 1e3 + Math.random() * 4e3);
      }
      const planned = plan.purposes.flatMap(({ events }) => events).filter((event) => event.name == name);
      if (!planned[0]) warn("event", name);
      for (const field in fields) if (!planned.some((event) => event.fields.includes(field))) warn("field", field);
    });
  };

  const wake = (purpose, pause) => {
    purpose.timer ||= setTimeout(send, pause, purpose);
  };

  // sessionStorage, where the page wants it and the browser has it.
  const session = (step) => {
    try {
      if (storage != "memory") return step(sessionStorage);
    } catch {
      // Switched off or full: identifiers last as long as the page.
    }
  };
  const keyOf = (purpose) => "throng " + app + " " + purpose.name;

  // One random identifier a purpose and window.
  const identifier = (purpose, window) => {
    const key = keyOf(purpose);
    let kept = session((store) => store[key]) || memory[key] || "";
    if (!kept.startsWith(window + " ")) kept = window + " " + random();
    memory[key] = kept;
    session((store) => (store[key] = kept));
    return kept.split(" ")[1];
  };

  // What events share: what is true of the browser, as far as their metrics use it.
  const contextOf = (purpose, events) => {
    const described = purpose.events.filter(({ name }) => events.some(({ event }) => event == name));
    return pick(described.flatMap(({ fields }) => fields), (field) => shared[field] ?? reading(field));
  };

  // Turns what waits into batches: bytes that stay as they are, so that one that is sent again counts once.
  const pack = (purpose) => {
    const window = Math.floor(Date.now() / 1e3 / purpose.rotation_seconds);
    let count = purpose.queue.length;
    while (count) {
      const events = purpose.queue.slice(0, count);
      const body = JSON.stringify({
        app, key, purpose: purpose.name, window, id: purpose.identifier ? undefined : identifier(purpose, window), batch: random(),
        consent_version: +purpose.consent || 1, context: contextOf(purpose, events), events,
      });
      // What outlives its page may have 64 KiB.
      if (count > 1 && new Blob([body]).size > 6e4) {
        count >>= 1;
        continue;
      }
      purpose.queue.splice(0, count);
      const log = { purpose: purpose.name, explanation: purpose.explanation, body };
      if (sent.push(log) > 100) sent.shift();
      purpose.batches.push({ body, log, until: (window + 2) * purpose.rotation_seconds * 1e3 });
      count = purpose.queue.length;
    }
  };

  // Sends what waits. A batch without an answer is sent again as long as its window is accepted, then given up: it may
  // have been counted. While offline nothing is packed, so that it travels in the window in which it can.
  const send = (purpose, leaving) => {
    clearTimeout(purpose.timer);
    purpose.timer = 0;
    if (!allowed(purpose)) return forget(purpose);
    purpose.batches = purpose.batches.filter((batch) => batch.until > Date.now());
    if (!navigator.onLine) return;
    if (leaving || !purpose.batches.length) pack(purpose);
    // A page that goes away gets no answer; one that comes back asks for it.
    for (const batch of purpose.batches) post(purpose, batch);
  };

  // Where the plan wants it sealed, it goes through the relay, or not at all.
  const ask = async ({ transport }, path, body) =>
    transport
      ? (await import(address("throng-oblivious.js"))).default(plan.relay, path, body)
      : fetch(address(path), { ...quiet, method: "POST", body, keepalive: true });

  const post = async (purpose, batch) => {
    if (batch.busy) return;
    batch.busy = true;
    let pause = (purpose.pause = Math.min((purpose.pause || 1e3) * 2, 3e5)) * (0.5 + Math.random());
    try {
      const answer = await ask(purpose, "v1/batches", batch.body);
      if (answer.status < 500 && answer.status != 429) {
        purpose.batches = purpose.batches.filter((each) => each != batch);
        purpose.pause = 0;
        batch.log.answer = await answer.json();
      } else pause += 1e3 * answer.headers.get("retry-after") || 0;
    } catch {
      // No answer: again, later.
    }
    batch.busy = false;
    if (purpose.batches.length || purpose.queue.length) wake(purpose, pause);
  };

  const sendAll = (leaving) => plan?.purposes.forEach((purpose) => send(purpose, leaving));

  const forget = (purpose) => {
    purpose.queue = [];
    purpose.batches = [];
    delete memory[keyOf(purpose)];
    session((store) => delete store[keyOf(purpose)]);
  };

  const consent = (name, isGiven) =>
    known(() => {
      for (const purpose of plan.purposes.filter((purpose) => purpose.name == name)) {
        const before = allowed(purpose);
        purpose.consent = isGiven;
        if (!allowed(purpose)) forget(purpose);
        // What is on the screen when somebody agrees is seen from now on.
        else if (!before && shown) view(purpose);
      }
    });

  // What the daemon would count of an event, by purpose; it counts nothing.
  const preview = async (name, given = {}) => {
    const answers = {};
    for (const purpose of plan?.purposes || []) {
      const event = eventOf(purpose, name, given, location.pathname, Date.now());
      if (!event) continue;
      const events = [event];
      const body = JSON.stringify({ app, purpose: purpose.name, context: contextOf(purpose, events), events });
      answers[purpose.name] = await (await ask(purpose, "v1/preview", body)).json();
    }
    return answers;
  };

  const view = (only) => {
    shown = location.pathname;
    if (viewEvent) record(viewEvent, {}, only);
  };
  const moved = () => {
    if (shown && location.pathname != shown) view();
  };

  const learn = (document) => {
    document.fields = {};
    for (const reader of document.dimensions) (document.fields[reader.field] ||= []).push(reader);
    document.sums = document.metrics.flatMap(({ sums, histogram = [] }) => sums.concat(histogram)).map((it) => it.field);
    document.rate = (purpose, name) =>
      Math.max(...document.metrics.filter((metric) => metric.purpose == purpose.name && metric.events.includes(name))
        .map((metric) => metric.sampling));
    for (const purpose of document.purposes) {
      purpose.queue = [];
      purpose.batches = [];
    }
    plan = document;
    early.forEach((step) => safely(step)());
  };

  const load = async () => {
    try {
      const answer = await fetch(address("v1/plan/" + app), quiet);
      if (answer.ok) return learn(await answer.json());
      if (answer.status < 500) return warn("app", app);
    } catch {
      // Offline: again, later.
    }
    setTimeout(load, 2e4);
  };

  const start = () => {
    if (navigator.webdriver) return;
    view();
    load();
  };

  const clicked = ({ type, target }) => {
    const element = target.closest?.("[data-throng-event]");
    if (!element || (element.tagName == "FORM") != (type == "submit")) return;
    const { event, ...fields } = fieldsOf(element);
    record(event, fields);
  };
  on(document, "click", clicked);
  on(document, "submit", clicked);
  for (const name of ["pushState", "replaceState"]) {
    const before = history[name];
    history[name] = function (...values) {
      before.apply(this, values);
      safely(moved)();
    };
  }
  on(window, "popstate", moved);
  on(window, "pageshow", (event) => event.persisted && view());
  on(window, "pagehide", () => sendAll(true));
  on(window, "online", () => sendAll());
  on(document, "visibilitychange", () => sendAll(document.hidden));

  window.throng = Object.freeze({
    record: safely((name, fields) => record(name, fields)),
    consent: safely(consent),
    flush: () => sendAll(),
    reset: safely(() => {
      plan?.purposes.forEach(forget);
      sent.length = 0;
    }),
    preview,
    sent,
  });
  // A page that is rendered ahead is seen once it is shown.
  if (document.prerendering) on(document, "prerenderingchange", start);
  else start();
})();
