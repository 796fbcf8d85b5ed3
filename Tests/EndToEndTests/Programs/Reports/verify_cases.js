// What the page that checks reports says of files: genuine, changed, of another key or another time, or unknown. It runs in the
// page, with the keys that signed a report and the report's files, and returns what the page says otherwise than expected.
const [keys, contents] = arguments;
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const files = Object.entries(contents).map(([name, text]) => new File([bytes(text)], name));
const one = (ending) => files.find(({ name }) => name.endsWith(ending));
const but = (...left) => files.filter((file) => !left.includes(file));
const kinds = ["Genuine", "was changed", "another key than yours", "not in use", "no signature here"];

const [field, list] = ["key", "findings"].map((id) => document.getElementById(id));
const until = async (isSo) => {
  for (let left = 500; left && !isSo(); left--) await new Promise((done) => setTimeout(done, 20));
};
const give = (id, chosen) => {
  const [input, transfer] = [document.getElementById(id), new DataTransfer()];
  for (const file of chosen) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change"));
};

// A key is a text in its field, or a file in the control beside it; files of the report never change it.
const said = async (key, chosen) => {
  field.value = key instanceof File ? "" : key;
  if (key instanceof File) give("keyFile", [key]);
  await until(() => field.value || !key);
  const [before] = [field.value, list.replaceChildren()];
  give("files", chosen);
  await until(() => list.children.length);
  if (field.value != before) return ["another key in the field"];
  return kinds.map((kind) => [...list.children].filter(({ textContent }) => textContent.includes(kind)).length);
};
const changed = async (file, old, other) => new File([(await file.text()).replace(old, other)], file.name);
const pem = async ({ publicKey }) => {
  const key = String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)));
  return `-----BEGIN PUBLIC KEY-----\n${btoa(key)}\n-----END PUBLIC KEY-----\n`;
};
// A manifest and its signature as somebody else makes them.
const forged = async (manifest, signature, { publicKey, privateKey }) => {
  const digest = await crypto.subtle.digest("SHA-256", await crypto.subtle.exportKey("raw", publicKey));
  const id = [...new Uint8Array(digest)].slice(0, 8).map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const own = await changed(manifest, JSON.parse(await manifest.text()).key, id);
  return [own, new File([await crypto.subtle.sign("Ed25519", privateKey, await own.arrayBuffer())], signature.name)];
};

return (async () => {
  const [manifest, sheet, signature] = [one(".manifest.json"), one(".csv"), one(".manifest.sig")];
  const [entry, many] = [JSON.parse(keys).keys[0], files.length - 1];
  const past = JSON.stringify({ format: "throng-keys/1", keys: [{ ...entry, from: "2001-01-01T00:00:00Z", until: "2002-01-01T00:00:00Z" }] });
  const forger = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const readme = new File([await pem(forger)], "readme.txt");
  const folder = [...but(manifest, signature), ...await forged(manifest, signature, forger), readme];
  const renamed = new File([await sheet.arrayBuffer()], "download (1).csv");
  const cases = [
    ["all that was signed", keys, files, [many, 0, 0, 0, 0]],
    ["the same by a PEM", entry.public_key, files, [many, 0, 0, 0, 0]],
    ["a file of another name", keys, [...but(sheet), renamed], [many, 0, 0, 0, 0]],
    ["a file with one sign changed", keys, [...but(sheet), await changed(sheet, ",", ";")], [many - 1, 1, 0, 0, 0]],
    ["a manifest with one word changed", keys, [...but(manifest), await changed(manifest, '"partner"', '"Partner"')], [0, 1, 0, 0, many - 1]],
    ["a changed signature", keys, [...but(signature), new File([new Uint8Array(64)], signature.name)], [0, 1, 0, 0, many - 1]],
    ["another key", await pem(forger), files, [0, 0, 1, 0, many - 1]],
    ["a forged folder with its maker's key", keys, folder, [0, 0, 1, 0, many]],
    ["the same without a key", "", folder, [0, 0, 1, 0, many]],
    ["the same by its maker's key", readme, folder, [many, 0, 0, 0, 1]],
    ["a list of keys among the files", keys, [...files, new File([keys], "keys.json")], [many, 0, 0, 0, 1]],
    ["a list of keys alone", keys, [new File([past], "keys.json")], [0, 0, 0, 0, 1]],
    ["a list of keys by its control", new File([keys], "keys.json"), files, [many, 0, 0, 0, 0]],
    ["a list that is none", '{"keys": 1}', files, [0, 0, 1, 0, many - 1]],
    ["a key that was not in use", past, files, [0, 0, 0, 1, many - 1]],
    ["no manifest", keys, [sheet, signature], [0, 0, 0, 0, 1]],
    ["no key", "", files, [0, 0, 1, 0, many - 1]],
  ];
  const wrong = [];
  for (const [name, key, chosen, expected] of cases) {
    const found = await said(key, chosen);
    if (found.join() != expected.join()) wrong.push(`${name}: ${found}, not ${expected}`);
  }
  return wrong;
})();
