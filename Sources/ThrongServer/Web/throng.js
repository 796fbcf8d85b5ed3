// throng.js: counts what the visitors of a site do, as a crowd. Nothing leaves the page that the app's plan does not
// name, and that only as coarsely as the plan keeps it. There is no cookie; an identifier is random, lasts for one
// purpose and window, and is in sessionStorage or memory, as are batches without an answer. Sent batches are in
// `throng.sent`.
//
//   <script defer src="https://count.example.com/throng.js" data-app="shop" data-view="view"></script>
//   <button data-throng-event="add_to_cart" data-throng-price="24.90">
//
// The daemon serves this file without its comments and needless spaces: no string or expression of it has any beside
// punctuation, and every statement ends with its semicolon. Deploy/clients/npm/build makes a module of everything but
// the last line.
((script) => {
  "use strict";
  // Tag managers drop attributes: an address such as throng.js?app=shop keeps them.
  const source = script?.src;
  const settings = { server: source, ...Object.fromEntries(source ? new URL(source).searchParams : []), ...script?.dataset };
  const { app, key, view: viewEvent, storage, debug, adult, test, server } = settings;
  // The console says what does not count, and why, if data-debug is set.
  const warn = (...words) => debug != null && console.warn("throng", ...words);
  if (!app || !server) return console.warn("throng.js counts nothing without data-app and its address");
  if (window.throng?.record) return warn("is there already and counts for", throng.settings.app), throng;
  const address = (path) => new URL(path, server).href;
  const quiet = { credentials: "omit", referrerPolicy: "no-referrer" };
  const sent = [];
  const memory = {};
  // The state of each purpose: its consent, its waiting events and batches, and the time from which it may send.
  const states = {};
  // What the page said that the person answered about each purpose.
  const answers = {};
  let plan, shown, loading, retry, early = [], room = 64e3;

  // The result of a step, or nothing where it fails.
  const attempt = (step) => {
    try {
      return step();
    } catch {
      // Storage is switched off or full, or a text is no such thing.
    }
  };
  // An error in here is no reason for the page to fail.
  const safely = (step) => (...values) => {
    try {
      step(...values);
    } catch (error) {
      console.warn(error);
    }
  };
  const on = (target, name, step) => target.addEventListener(name, safely(step), true);
  // Does a step behind each call of a method.
  const follow = (object, name, step) => {
    const before = object[name];
    object[name] = function (...values) {
      before.apply(this, values);
      safely(step)(this);
    };
  };

  // The daemon's clock is the one that counts: by how much it is ahead, and since when this one runs evenly.
  let shift = 0, pace, asked;
  const now = () => Date.now() + shift;
  const paceNow = () => Date.now() - performance.now();
  const offBy = ({ headers }) => Date.parse(headers.get("date")) + 1e3 * headers.get("age") - now();
  const learnTime = (answer) => {
    const off = offBy(answer);
    if (!(Math.abs(off) > 6e4)) return;
    shift += off;
    // Waiting events were noted by a wrong clock, unless that one was right until it was set.
    if (paceNow() - pace < 6e4) for (const { queue } of Object.values(states)) queue.forEach((event) => move(event, off));
  };
  // Quarters of an hour never cut a period in two, in any time zone.
  const quarter = (time) => new Date(time - (time % 9e5)).toISOString().slice(0, 19) + "Z";
  const move = (event, off) => (event.at = quarter(Math.min(Date.parse(event.at) + off, now())));

  // True if plan and time are known. A clock that goes back was set; one that leaps ahead was set, or slept.
  const isFresh = () => {
    const leap = paceNow() - pace;
    if (leap < -6e4) {
      shift -= leap;
      pace += leap;
    }
    return plan && leap < 6e4 && performance.now() - asked < 36e5;
  };

  // Calls that come before the plan, or the time, take their turn once it is there.
  const known = (step, isReady = isFresh()) => {
    if (isReady) return step();
    if (early.length < 500) early.push(step);
    else warn("has no room for more");
    if (plan) load("again");
  };
  const catchUp = () => early.splice(0).forEach((step) => safely(step)());

  const random = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join("");

  // Fields of an element: data-throng-order-value="9" is the field order_value.
  const fieldsOf = (element) => {
    const fields = {};
    for (const { name, value } of element.attributes)
      if (name.startsWith("data-throng-")) fields[name.slice(12).replace(/-/g, "_")] = value.trim();
    return fields;
  };
  const shared = fieldsOf(script);

  // The values that a browser can tell, by the kind of bucketing that the plan has for a field, or by the field's name.
  // Versions in user agents are cut to their first number: families need no more. A Mac with a touch screen is an iPad.
  const agent = () =>
    navigator.userAgent.replace(navigator.maxTouchPoints > 1 && /Macintosh;\sIntel(.*X)\s[\d_.]+/, "iPad;CPU OS 13_0 like$1").replace(/([._])\d+/g, "$10");
  const readings = {
    browser: agent,
    operating_system: agent,
    device_class: agent,
    screen: () => screen.width + "x" + screen.height,
    language: () => navigator.language,
    // Standard time is the one further west of winter and summer.
    utc_offset: () => -Math.max(...[0, 6].map((month) => new Date(2026, month).getTimezoneOffset())),
    memory_gb: () => navigator.deviceMemory,
    cores: () => navigator.hardwareConcurrency,
    referrer: () => document.referrer,
  };
  const reading = (field) => (readings[plan.fields[field]?.[0].rule.kind] || readings[field])?.();

  // The one spelling of a path: as browsers have it, without empty segments and the text after a ";", with escapes
  // decoded once. An escaped slash stays apart from others, and bytes that are no text equal nothing.
  const pathOf = (path) =>
    new URL("http://a" + path).pathname.split("/").map((part) =>
      attempt(() => decodeURIComponent(part.replace(/;.*/, "").replace(/%2f/gi, "%00").replace(/%(?![\da-f]{2})/gi, "%25")).normalize()) ?? "\ud800"
    ).filter(Boolean).map((part) => "/" + part).join("");

  // True if a path is of a template such as /product/:id or /docs/*.
  const matches = (template, path) =>
    new RegExp(
      "^" + pathOf(template).replace(/[^\w/:*]/g, "\\$&").replace(/\/\*$/, "(/[^]*)?").replace(/\/:[^/]+/g, "/[^/]+") + "$"
    ).test(path);

  // A number, or a text that is one.
  const plainNumber = (value) => (/^[-+.\de]+$/i.test(value) && isFinite(value) ? +value : NaN);
  // A number as people write it: "EUR 1.234,50", "24,-", with digits of Arabic or a true minus. A text that could be two
  // numbers is none: "1,234" and, with a currency or if fewer than three decimals are kept, "1.234".
  const currency = /^([A-Z]{0,3}\p{Sc}|(kr|S?Fr|Rs|Rp)\b\.?|[A-Z]{3}(?![A-Z]))|([A-Z]{0,3}\p{Sc}|zł|Kč|Ft|lei|лв\.?|руб\.?|[円元원]|(kr|Fr)\.?|[A-Z]{3})?\*?$/u;
  const isCurrency = (word) => !/^[A-Z]{3}$/.test(word) || Intl.supportedValuesOf?.("currency").includes(word) != false;
  const numberOf = (value, decimals = 3) => {
    const plain = String(value).replace(/[\u061c\u200e\u200f]/g, "").replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => digit.charCodeAt() & 15)
      .replace(/[\u2212\u2013\uff0d]/g, "-").replace(/[\u066b\uff0e]/g, ".").replace(/[\u066c\uff0c]/g, ",").trim();
    // A minus may stand before the currency.
    const bare = plain.replace(/^-\s*/, ""), money = bare.replace(currency, (word) => (isCurrency(word) ? "" : word)).trim();
    const text = bare == plain ? money : "-" + money;
    const [all, sign, whole, group, point, part = ""] =
      text.match(/^([-+]?)(\d{1,3}(?:([\s'\u2019.,])\d{3}(?:\3\d{3})*|(?:,\d\d)+,\d{3})|\d*)(?:([.,])(\d*|[-\u2014]+))?$/) || [];
    const isMark = group == "." || group == ",", isAlone = isMark && !point && whole.length < 8;
    // Dinars and rials have three decimals.
    const isFine = /BHD|IQD|JOD|KWD|LYD|OMR|TND/.test(bare);
    if (isAlone && whole[0] != 0 && typeof value == "string" && (group == "," || !isFine && (money != bare || decimals < 3))) return NaN;
    const number = plainNumber(text);
    if (isFinite(number) || !/\d/.test(all) || point && whole.includes(point)) return number;
    if (isAlone) return +(sign + whole.replace(",", "."));
    return group && whole[0] == 0 ? NaN : +(sign + whole.replace(/\D/g, "") + "." + part.replace(/\D/g, ""));
  };

  const isZone = (text) => attempt(() => new Intl.DateTimeFormat([], { timeZone: text }));

  // The one spelling of a host: as browsers have it, in ASCII.
  const hostOf = (host) => attempt(() => new URL("http://" + host.replace(/^.*@|:\d*$/g, "")).hostname.replace(/\.$/, ""));

  // A value by the rule of its dimension. A value without a rule is left out; a user agent is for the daemon.
  const bucket = ({ rule, buckets }, value) => {
    const { kind, groups, templates, band_hours, medium_from, large_from, level, edges } = rule;
    const text = String(value), small = text.toLowerCase();
    // "https://example.org" is the root; "cart" and an empty text are no paths.
    const [, from, host, rest] = text.replace(/^[\0-\x20]+|[\t\n\r]|[\0-\x20]+$/g, "").match(/^(https?:[\\/]*|(?:[a-z][\w+.-]*:)?[\\/]{2})?([^\\/?#]*)([^?#]*)/i);
    const path = pathOf(rest);
    const found = (label) => (buckets.includes(label) ? label : "other");
    if (buckets.includes(value)) return value;
    if (groups) {
      // The types of files are listed as *.pdf; ".pdf" is a name.
      const word = kind == "file_type" ? (from ? path : text).toLowerCase().replace(/[^]*[^/\\](?=\.)/, "*")
        : kind == "language" ? small.match(/^[a-z]*(?=[-_.@,;:]|$)/)?.[0]
        : text;
      const isMember = (member) => member == word || (kind == "region" && member.toLowerCase() == small);
      return groups.find(({ label, values }) => [label, ...values].some(isMember))?.label || "other";
    }
    if (level) {
      // A number such as 17.4 has lost its zeros: it is no minor version.
      const [, major, minor = 0] = (text === value || value % 1 == 0 || level == "major") && text.match(/^(\d+)(?:[._,](\d+))?/) || [];
      return found(level == "major" ? major : major + "." + minor);
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
    // The browser says its own offset if the text names a zone, or one as "+05:30" and "GMT+5" do.
    if (band_hours && (/^([-+]\d\d:?\d\d|(GMT|UTC)[-+]\d\d?(:?\d\d)?)$/i.test(value) || isNaN(plainNumber(value)) && isZone(text))) return;
    const number = edges ? numberOf(value) : plainNumber(value);
    if (band_hours) return found(buckets[Math.floor((Math.floor(number / 60) + 12) / band_hours)]);
    if (edges) return isFinite(number) ? buckets[edges.filter((edge) => edge <= number).length] : "other";
  };

  // A value as coarsely as it can be sent: a number that is added up, or else the bucket that fits all dimensions that
  // read it.
  const coarse = (field, value) => {
    if (value == null) return;
    const readers = plan.fields[field] || [], decimals = plan.sums[field];
    const isNumber = decimals != null || readers.some(({ rule, buckets }) => rule.edges && !buckets.includes(value));
    const number = isNumber && numberOf(value, decimals);
    if (isNaN(number)) warn("knows no number in", field);
    // JSON has no number that is none.
    if (decimals != null) return number;
    const labels = readers.map((reader) => bucket(reader, value));
    return labels.find((label) => readers.every((reader, place) => bucket(reader, label) == labels[place]));
  };

  const stateOf = ({ name }) => (states[name] ||= { queue: [], batches: recall(keyOf({ name }) + " waiting") });

  // True if a purpose may count: the visitor agreed, if the plan asks, to its version or a later one (true is the
  // first), and there is no signal that the plan honours. Without data-adult the page does not know whether the person
  // is a child.
  const allowed = (purpose) =>
    (stateOf(purpose).consent ?? !purpose.needs_consent) >= purpose.consent_version &&
    !purpose.refused_by.some((signal) =>
      signal == "do_not_track" ? navigator.doNotTrack == "1"
        : signal == "age_signal" ? adult == null
        : signal == "global_privacy_control" && navigator.globalPrivacyControl);

  // JSON leaves out what is undefined.
  const pick = (fields, valueOf) => Object.fromEntries(fields.map((field) => [field, coarse(field, valueOf(field))]));

  // An event as a purpose may have it, or nothing.
  const eventOf = (purpose, name, given, path, time) => {
    const event = purpose.events.find((event) => event.name == name);
    if (!event) return;
    const fields = pick(event.fields, (field) => given[field] ?? (plan.fields[field]?.[0].rule.templates && path));
    return { event: name, at: quarter(time), fields };
  };

  const record = (name, given, only) => {
    const fields = { ...given }, path = location.pathname, time = Date.now();
    known(() => {
      for (const purpose of plan.purposes) {
        const event = (!only || only == purpose) && allowed(purpose) && eventOf(purpose, name, fields, path, time + shift);
        if (event && Math.random() < plan.rate(purpose, name)) enqueue(purpose, { ...event, count: 1 });
      }
      const planned = plan.purposes.flatMap(({ events }) => events).filter((event) => event.name == name);
      if (plan.served.some((event) => event.name == name)) warn("leaves to backends", name);
      else if (!planned[0]) warn("knows no event", name);
      for (const field in planned[0] && fields) {
        const isOther = (reader) => !reader.rule.edges && fields[field] != null && bucket(reader, fields[field]) == "other" && fields[field] != "other";
        if (!planned.some((event) => event.fields.includes(field))) warn("knows no field", field);
        else if (plan.fields[field]?.some(isOther)) warn("lists no bucket for", field, fields[field]);
      }
    });
  };

  // An event that happens again in the same quarter only raises a number: no order and no rhythm leave the page.
  const enqueue = (purpose, { count, ...event }) => {
    const { queue } = stateOf(purpose), same = JSON.stringify(event);
    const before = queue.find(({ count, ...event }) => JSON.stringify(event) == same);
    if (before) before.count += count;
    else if (queue.length < 500) queue.push({ ...event, count });
    else warn("has no room for more");
    wake(purpose);
  };

  const wake = (purpose, pause = 1e3 + Math.random() * 4e3) => {
    stateOf(purpose).timer ||= setTimeout(send, pause, purpose.name);
  };

  // The tab's memory: sessionStorage if the page wants it and the browser has it, or else as long as the page.
  const session = (step) => attempt(() => (storage == "memory" ? 0 : step(sessionStorage)));
  const recall = (key) => session((store) => JSON.parse(store[key])) || memory[key] || [];
  const remember = (key, list) => {
    memory[key] = list;
    session((store) => (list[0] ? (store[key] = JSON.stringify(list)) : delete store[key]));
  };
  const keyOf = (purpose) => "throng " + app + " " + purpose.name;

  // The random identifiers, one per purpose and window, of windows that are open, so that they can be taken back.
  const identifiers = (purpose) =>
    recall(keyOf(purpose)).filter(([window]) => (window + 2) * purpose.rotation_seconds * 1e3 > now());
  const identifier = (purpose, window) => {
    const known = identifiers(purpose);
    const found = known.find(([each]) => each == window) || [window, random()];
    remember(keyOf(purpose), known.filter((each) => each != found).concat([found]));
    return found[1];
  };

  // The fields that events share: the browser's values, as far as their metrics use them.
  const contextOf = (purpose, events) => {
    const described = purpose.events.filter(({ name }) => events.some(({ event }) => event == name));
    return pick(described.flatMap(({ fields }) => fields), (field) => shared[field] ?? reading(field));
  };

  // Bytes that stay as they are, so that one that is sent again counts once.
  const add = (purpose, path, window, body) => {
    const log = { purpose: purpose.name, explanation: purpose.explanation, body: JSON.stringify(body) };
    note(log);
    stateOf(purpose).batches.push({ path, log, shift, until: (window + 2) * purpose.rotation_seconds * 1e3 });
  };
  const note = (log) => sent.push(log) > 100 && sent.shift();
  const sizeOf = (text) => new Blob([text]).size;

  // Turns what waits into batches.
  const pack = (purpose) => {
    const { queue } = stateOf(purpose), window = Math.floor(now() / 1e3 / purpose.rotation_seconds);
    let count = queue.length;
    while (count) {
      const events = queue.slice(0, count);
      const body = {
        app, key, test: test == null ? test : true, purpose: purpose.name, window, id: purpose.identifier ? undefined : identifier(purpose, window), batch: random(),
        consent_version: +stateOf(purpose).consent || 1, context: contextOf(purpose, events), events,
      };
      // A request that outlives its page may have 64 KiB, and a sealed one is padded to four times as much.
      if (count > 1 && sizeOf(JSON.stringify(body)) > (purpose.transport ? 15e3 : 6e4)) {
        count >>= 1;
        continue;
      }
      queue.splice(0, count);
      add(purpose, "v1/batches", window, body);
      count = queue.length;
    }
  };

  // Sends waiting events. A batch without an answer is sent again as long as its window is accepted, by this page or
  // the next one of the tab, then given up: it may have been counted. While offline nothing is packed, so that events
  // travel in the window in which they can.
  const send = (name, isLeaving, isLast) => {
    const purpose = plan.purposes.find((each) => each.name == name);
    if (!purpose) return;
    if (!isLeaving && !isFresh()) return load("again");
    const state = stateOf(purpose);
    clearTimeout(state.timer);
    state.timer = 0;
    const isAllowed = allowed(purpose);
    if (!isAllowed) {
      // The visitor was not asked yet.
      if (state.consent == null && purpose.needs_consent) return;
      takeBack(purpose);
    }
    const isOver = (batch) => batch.until <= now();
    for (const batch of state.batches.filter(isOver)) if (!batch.tried) again(purpose, batch);
    state.batches = state.batches.filter((batch) => !isOver(batch));
    if (isAllowed && (isLast || navigator.onLine) && (isLeaving || !state.batches[0])) pack(purpose);
    const pause = state.after - performance.now();
    if (pause > 0) wake(purpose, pause);
    // A page that goes away gets no answer; one that comes back, or the next one, asks for it.
    else if (navigator.onLine) for (const batch of state.batches) post(purpose, batch);
    keep(purpose);
  };
  const keep = (purpose) => remember(keyOf(purpose) + " waiting", stateOf(purpose).batches);

  // A request goes through the relay, or not at all, if the plan wants it sealed.
  const ask = async ({ transport }, path, body) =>
    transport
      ? (await import(address("throng-oblivious.js"))).default(plan.relay, path, body)
      : fetch(address(path), { ...quiet, method: "POST", body, keepalive: true });

  const flying = new Set();
  const post = async (purpose, batch) => {
    const { path, log, tried } = batch, state = stateOf(purpose), size = purpose.transport ? 2e4 : sizeOf(log.body);
    if (flying.has(batch)) return;
    // All that outlives its page together may have 64 KiB; the rest is for later, or for the tab's next page.
    if (size > room) {
      warn("has more to send than may outlive a page");
      return wake(purpose);
    }
    flying.add(batch);
    room -= size;
    batch.tried = true;
    let pause = (state.pause = Math.min((state.pause || 1e3) * 2, 3e5)) * (0.5 + Math.random());
    try {
      const answer = await ask(purpose, path, log.body);
      if (answer.status < 500 && answer.status != 429) {
        log.answer = await answer.json();
        const isWanted = state.batches.includes(batch);
        state.batches = state.batches.filter((each) => each != batch);
        state.pause = pause = 0;
        if (isWanted) await settle(purpose, { ...batch, tried }, answer);
      } else {
        pause += 1e3 * answer.headers.get("retry-after") || 0;
        batch.tried = tried;
      }
    } catch {
      // No answer: again, later.
      warn("has no answer from", address(path));
    }
    flying.delete(batch);
    room += size;
    keep(purpose);
    state.after = performance.now() + pause;
    if (state.batches[0] || state.queue[0]) wake(purpose, pause || undefined);
  };

  // Says what was refused. Events refused for their time were not counted, and travel again once the time is known.
  const settle = async (purpose, batch, answer) => {
    const { error, refused = [] } = batch.log.answer, isLate = (reason) => /too_old|in_the_future/.test(reason);
    const { events } = JSON.parse(batch.log.body);
    const said = refused.map(({ reason, index, detail }) => [reason, "in", events[index].event, detail?.field].join(" "));
    for (const words of new Set([error, ...said])) if (words) warn("was refused for", words);
    const late = refused.filter(({ reason }) => isLate(reason)).map(({ index }) => index);
    const isWhole = error == "window_out_of_range";
    if (batch.path != "v1/batches" || !(isWhole || late[0] != null)) return;
    // A question elsewhere would tell others of a sealed request.
    if (purpose.transport) learnTime(answer);
    else await load("again");
    // A batch that was sent before may have been counted then, unless its window has not come yet.
    if (isWhole && batch.tried && batch.until < now() + 3e3 * purpose.rotation_seconds) return;
    if (Math.abs(shift - batch.shift) > 6e4) again(purpose, batch, (event, place) => isWhole || late.includes(place));
  };
  const again = (purpose, { path, log, shift: before }, isWanted = () => true) => {
    if (path != "v1/batches") return;
    for (const event of JSON.parse(log.body).events.filter(isWanted)) {
      move(event, shift - before);
      enqueue(purpose, event);
    }
  };

  const sendAll = (isLeaving, isLast) => {
    if (!plan) return;
    if (isLeaving) catchUp();
    for (const { name } of plan.purposes) send(name, isLeaving, isLast);
  };

  // Takes back the purpose's identifiers in open windows, and forgets waiting events: who agrees again is somebody
  // else, and alone.
  const takeBack = (purpose) => {
    const state = stateOf(purpose), used = identifiers(purpose);
    state.queue = [];
    state.batches = state.batches.filter(({ path }) => path == "v1/withdraw");
    remember(keyOf(purpose), []);
    for (const [window, id] of used) add(purpose, "v1/withdraw", window, { app, purpose: purpose.name, window, id });
    keep(purpose);
    if (used[0]) wake(purpose);
  };

  const consent = (name, isGiven) => {
    const kept = "throng consent " + app + " " + name;
    // A no ends the yes that the panel remembers, on pages without the panel, too.
    attempt(() => isGiven || (localStorage[kept] && (localStorage[kept] = "no")));
    answers[name] = isGiven;
    window.dispatchEvent(new CustomEvent("throng-consent", { detail: name }));
    known(() => {
      const asked = plan.purposes.filter((purpose) => purpose.name == name);
      if (!asked[0]) warn("knows no purpose", name);
      for (const purpose of asked) {
        const before = allowed(purpose);
        stateOf(purpose).consent = isGiven;
        if (!allowed(purpose)) takeBack(purpose);
        // The page on the screen counts as seen from the moment at which somebody agrees.
        else if (!before && shown) view(purpose);
        wake(purpose);
      }
    }, plan);
  };

  // The counts that the daemon would make of an event, by purpose; it counts nothing.
  const preview = async (name, given = {}) => {
    const answers = {};
    for (const purpose of plan?.purposes || []) {
      const event = eventOf(purpose, name, given, location.pathname, now());
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
    document.sums = {};
    for (const { sums, histogram } of document.metrics)
      for (const { field, decimals = 3 } of sums.concat(histogram || []))
        document.sums[field] = Math.max(document.sums[field] || 0, decimals);
    document.rate = (purpose, name) =>
      Math.max(...document.metrics.filter((metric) => metric.purpose == purpose.name && metric.events.includes(name))
        .map((metric) => metric.sampling));
    // What only holders of a secret may send is refused of a page.
    document.served = [];
    document.purposes = document.purposes.filter(({ senders, events }) => senders != "backends" || !document.served.push(...events));
    plan = document;
    pace = paceNow();
    asked = performance.now();
    for (const purpose of plan.purposes) {
      if (!states[purpose.name]) stateOf(purpose).batches.forEach(({ log }) => note(log));
      if (stateOf(purpose).batches[0] || stateOf(purpose).queue[0]) wake(purpose);
    }
    catchUp();
  };

  // The plan, and the time with it. A plan may come from a cache, five minutes old: where that makes a difference, and
  // where it is asked for again, it comes from the daemon itself.
  const load = (mode) => (loading ||= fetchPlan(mode).finally(() => (loading = 0)));
  const fetchPlan = async (mode) => {
    const get = (query) => fetch(address("v1/plan/" + app + query), { ...quiet, cache: query ? "no-store" : "default" });
    try {
      let answer = await get(mode ? "?" + random() : "");
      if (!mode && (offBy(answer) > 6e4 || offBy(answer) < -3e5)) answer = await get((mode = "?" + random()));
      if (answer.ok) {
        const document = await answer.json();
        if (mode) learnTime(answer);
        return learn(document);
      }
      if (answer.status == 404) return warn("knows no app", app);
    } catch {
      // Offline: again, later.
      warn("has no answer from", address("v1/plan/" + app));
    }
    clearTimeout(retry);
    retry = setTimeout(load, 2e4, mode);
  };

  const start = () => {
    // A test may be by remote control.
    if (navigator.webdriver && test == null) return warn("counts no robots");
    view();
    load();
  };

  const count = (element) => {
    const { event, ...fields } = fieldsOf(element);
    record(event, fields);
  };
  // Forms whose sending is counted already, and the element that a click on a label will click.
  const counted = new WeakSet();
  let last, labelled;
  const clicked = (event) => {
    const path = event.composedPath(), [target] = path, isForm = event.type == "submit";
    // The sending of a form is heard in its own shadow tree only.
    for (const each of path) if (each instanceof ShadowRoot) each.addEventListener("submit", heard, true);
    if (/^(key|focus)/.test(event.type)) return;
    // The middle button opens links, and does nothing elsewhere.
    if (event.type == "auxclick" && (event.button != 1 || !path.some(({ href }) => href))) return;
    const element = (isForm ? [target] : path).find(
      ({ dataset, tagName }) => dataset?.throngEvent != null && (tagName == "FORM") == isForm
    );
    if (!element) return;
    if (isForm) counted.add(element);
    else if (element == last && target == labelled) return;
    last = element;
    labelled = path.find(({ control }) => control)?.control;
    setTimeout(() => (labelled = 0));
    count(element);
  };
  const heard = safely(clicked);
  for (const name of ["click", "auxclick", "submit", "keydown", "focusin"]) window.addEventListener(name, heard, true);
  // A form that a script sends says nothing, but after it was stopped.
  const submitted = (form) => form.dataset.throngEvent != null && !counted.delete(form) && count(form);
  safely(follow)(HTMLFormElement.prototype, "submit", submitted);
  for (const name of ["pushState", "replaceState"]) safely(follow)(history, name, moved);
  if (window.navigation) on(navigation, "currententrychange", moved);
  on(window, "popstate", moved);
  on(window, "pageshow", (event) => event.persisted && view());
  on(window, "pagehide", () => sendAll(true, true));
  on(window, "online", () => sendAll());
  on(document, "visibilitychange", () => sendAll(document.hidden));

  // A window that a page opens begins with a copy of what that page's tab remembers, and is another device.
  if (window.opener && history.length < 2 && performance.getEntriesByType("navigation")[0]?.type == "navigate")
    session((store) => {
      for (const key of Object.keys(store)) if (key.startsWith("throng " + app + " ")) delete store[key];
    });

  window.throng = Object.freeze({
    record: safely((name, fields) => record(name, fields)),
    consent: safely(consent),
    flush: () => sendAll(),
    reset: safely(() => {
      sent.length = 0;
      known(() => plan.purposes.forEach(takeBack), plan);
    }),
    preview,
    answers,
    sent,
    settings,
  });
  // A page that is rendered ahead is seen once it is shown.
  if (document.prerendering) on(document, "prerenderingchange", start);
  else start();
  return throng;
  // A module has no currentScript.
})(document.currentScript || [...document.scripts].find(({ src }) => /\/throng\.js(\?|$)/.test(src)));
