// What checks signed reports: `throng verify` in a browser. It asks no network. The page that holds it is XML, too, so that
// neither an ampersand nor a sign for "less than" stands here.
const at = (id) => document.getElementById(id);
const catalogues = JSON.parse(at("catalogues").textContent);
// A tag that the browser does not understand is no language here.
const written = (tag) => {
  try { return new Intl.Locale(tag).maximize(); } catch { return {}; }
};
const isSame = (one, other) => [one.language, one.script].join() == [other.language, other.script].join();
// The catalogue of the first language that the reader asks for.
const [tag, place] = navigator.languages.flatMap((wanted) => Object.keys(catalogues)
  .filter((known) => isSame(written(known), written(wanted))).map((known) => [known, wanted]))[0] ?? ["en", "en-GB"];
const words = catalogues[tag];
document.documentElement.lang = tag;
document.documentElement.dir = words.dir;
document.title = words.verifyTitle;
for (const element of document.querySelectorAll("[data-say]")) element.textContent = words[element.dataset.say];
const say = (name, values) => words[name].replace(/\{(\w+)\}/g, (_, key) => `\u2068${values[key]}\u2069`);

const files = new Map();
let round = 0;
const text = (bytes) => new TextDecoder().decode(bytes);
const parsed = (text) => {
  try { return JSON.parse(text); } catch { return null; }
};
const digest = async (bytes) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");

// The keys of keys.json, or the one of a PEM; it fails where the text is neither.
const keysOf = async (text) => {
  const list = parsed(text)?.keys ?? [{ public_key: text }];
  return Promise.all(list.map(async ({ public_key, from, until }) => {
    const base64 = public_key.match(/-----BEGIN PUBLIC KEY-----([\s\S]+)-----END PUBLIC KEY-----/)[1];
    const der = Uint8Array.from(atob(base64.replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
    const key = await crypto.subtle.importKey("spki", der, "Ed25519", false, ["verify"]);
    return { id: (await digest(der.slice(-32))).slice(0, 16), key, from, until };
  }));
};

// What a document that is signed itself vouches for: a manifest for its files, a proof of retention for its page.
const judge = async ({ name, bytes, json }, keys, signatures) => {
  const time = json.signed_at ?? json.made_at;
  const key = keys.find(({ id }) => id == json.key);
  if (!signatures.length) return { name, fault: "verifyUnknown" };
  if (!key) return { name, fault: "verifyOtherKey" };
  const tries = signatures.map((signature) => crypto.subtle.verify("Ed25519", key.key, signature, bytes));
  if (!(await Promise.all(tries)).includes(true)) return { name, fault: "verifyChanged" };
  const [signed, from, until] = [time, key.from ?? time, key.until ?? time].map((instant) => new Date(instant));
  if (from > signed ? true : signed > until) return { name, fault: "verifyOtherTime" };
  // A file that was given another name is told by its own.
  const own = json.report ? `${json.report}-${json.period.label}.manifest.json` : name;
  return { name: own, json, time: signed, listed: json.files ?? [{ sha256: json.page }] };
};

const line = ({ name, fault, json, time }) => {
  const item = document.createElement("li");
  const date = { dateStyle: "long", timeStyle: "short", timeZone: json?.period?.time_zone ?? "UTC" };
  const told = json?.partner ? [say("verifyMadeBy", json)] : [];
  item.className = fault ? "bad" : "good";
  item.textContent = fault ? say(fault, { name })
    : [say("verifyGenuine", { name, time: time.toLocaleString(place, date) }), ...told].join(" ");
  return item;
};

const check = async () => {
  const own = ++round;
  const keys = await keysOf(at("key").value).catch(() => []);
  const all = [...files].map(([name, bytes]) => ({ name, bytes, json: parsed(text(bytes)) }));
  const signatures = all.filter(({ bytes }) => bytes.length == 64).map(({ bytes }) => bytes);
  const isSigned = ({ json }) => /^throng-(manifest|retention-proof)\/1$/.test(json?.format);
  const judged = await Promise.all(all.filter(isSigned).map((file) => judge(file, keys, signatures)));
  const good = judged.filter(({ fault }) => !fault);
  const rest = all.filter((file) => isSigned(file) ? false : file.bytes.length != 64);
  const found = await Promise.all(rest.map(async ({ name, bytes }) => {
    const sha256 = await digest(bytes);
    for (const manifest of good) {
      const entry = manifest.listed.find((listed) => listed.sha256 == sha256);
      if (entry) return { name: entry.name ?? name, time: manifest.time, json: { period: manifest.json.period } };
    }
    const isListed = good.some(({ listed }) => listed.some((entry) => entry.name == name));
    return { name, fault: isListed ? "verifyChanged" : "verifyUnknown" };
  }));
  // Another choice came meanwhile.
  if (own != round) return;
  at("bad").textContent = at("key").value.trim() ? keys.length ? "" : words.verifyKeyBad : "";
  at("findings").replaceChildren(...[...judged, ...found].map(line));
};

const take = async (chosen) => {
  const read = await Promise.all([...chosen].map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]));
  for (const [name, bytes] of read) files.set(name, bytes);
  await check();
};
// A key comes by its own control alone: among the files of a report, it would be whatever the report's maker wants it to be.
const takeKey = async ([file]) => {
  if (file) at("key").value = await file.text();
  await check();
};

// A browser without such signatures, or a page that came without TLS, says so and checks nothing.
const begin = async () => {
  await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  at("key").addEventListener("input", check);
  at("keyFile").addEventListener("change", ({ target }) => takeKey(target.files));
  at("files").addEventListener("change", ({ target }) => {
    files.clear();
    return take(target.files);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    return take(event.dataTransfer.files);
  });
};
begin().catch(() => { at("lack").textContent = words.verifyNoCrypto; });
